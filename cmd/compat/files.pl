#!/bin/sh
# files.pl - the sizes of files below folders, as folded text.
case ${1---help} in
-h | --help)
	echo 'usage: files.pl folder ... | flamegraph.pl --countname=bytes' >&2
	exit 2
	;;
esac
here=$(readlink -f "$0") || exit 2
bin=$(readlink -f "${here%/*}/flamegraph.pl") || exit 2

for folder; do
	case $folder in
	-*) folder=./$folder ;;
	esac
	# Names may have any byte but NUL.
	find "$folder" -printf '%s %p\0'
done | tr '\n\0' '_\n' | LC_ALL=C awk '{
	size = $1
	sub(/^[0-9]+ \/*/, "")
	gsub(/\/+/, ";")
	gsub(/[^A-Za-z0-9.;-]/, "_")
	if ($0 != "")
		print $0, size
}' | "${bin%/*}/foldmerge"
