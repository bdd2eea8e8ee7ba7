# prog.rb - work of three kinds.
def fib(n)
  n < 2 ? n : fib(n - 1) + fib(n - 2)
end

def sorted(n)
  (0...n).map { |i| i * 7919 % n }.sort { |a, b| a <=> b }[n / 2]
end

class Words
  def count(n)
    seen = Hash.new(0)
    n.times { |i| seen["w" * (i % 50) + (i % 1000).to_s] += i }
    seen.size
  end
end

puts fib(27), sorted(100_000), Words.new.count(300_000)
