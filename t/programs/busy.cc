// busy - threads of C++ with inlined functions, for some seconds: to be
// recorded by t/bench.  "busy SECONDS"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

static std::atomic<size_t> sink;

static size_t
index_words(const std::string &text)
{
	std::map<std::string, std::vector<int>> places;
	std::istringstream in(text);
	std::string word;
	size_t n = 0;

	for (int i = 0; in >> word; i++)
		places[word].push_back(i);
	for (auto &[name, all] : places) {
		std::sort(all.rbegin(), all.rend());
		n += all.size() * name.size();
	}
	return n;
}

static size_t
match_words(const std::string &text)
{
	static const std::regex re("([a-z]+)([0-9]+)");
	size_t n = 0;

	for (std::sregex_iterator i(text.begin(), text.end(), re), end;
	     i != end; ++i)
		n += (*i)[1].length();
	return n;
}

static size_t
join_numbers(int n)
{
	std::unordered_map<int, std::string> joined;
	size_t length = 0;

	for (int i = 0; i < n; i++)
		joined[i * 7919 % 1000] += std::to_string(i);
	for (auto &[key, value] : joined)
		length += value.size();
	return length;
}

static size_t
walk(int depth, unsigned seed)
{
	if (depth == 0)
		return seed % 7;
	return walk(depth - 1, seed * 3 + 1) +
	       (seed % 4 == 0 ? walk(depth / 2, seed * 5 + 1) : 1);
}

static void
work(std::chrono::steady_clock::time_point end)
{
	std::string text;

	for (int i = 0; i < 400; i++)
		text += "word" + std::to_string(i % 97) + " ";
	for (unsigned i = 0; std::chrono::steady_clock::now() < end; i++)
		sink += index_words(text) + match_words(text) +
			join_numbers(3000) + walk(60, i);
}

int
main(int argc, char *argv[])
{
	const std::chrono::seconds time(argc > 1 ? atoi(argv[1]) : 5);
	std::vector<std::thread> threads;

	for (int i = 0; i < 4; i++)
		threads.emplace_back(work,
				     std::chrono::steady_clock::now() + time);
	for (auto &thread : threads)
		thread.join();
	return sink == 0;
}
