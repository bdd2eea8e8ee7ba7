// prog.go - work of three kinds, and its profile: prog CPU.pb.gz HEAP.pb.gz
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"sort"
	"strings"
)

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func sorted(n int) int {
	a := make([]int, n)
	for i := range a {
		a[i] = i * 7919 % n
	}
	sort.Slice(a, func(i, j int) bool { return a[i] < a[j] })
	return a[n/2]
}

func words(n int) int {
	count := map[string]int{}
	for i := 0; i < n; i++ {
		count[strings.Repeat("w", i%50)] += i
	}
	return len(count)
}

func work() {
	fmt.Println(fib(36), sorted(1000000), words(2000000))
}

func main() {
	runtime.MemProfileRate = 4096
	cpu, _ := os.Create(os.Args[1])
	pprof.StartCPUProfile(cpu)
	pprof.Do(context.Background(), pprof.Labels("step", "one"),
		func(context.Context) { work() })
	pprof.StopCPUProfile()
	cpu.Close()
	heap, _ := os.Create(os.Args[2])
	pprof.Lookup("allocs").WriteTo(heap, 0)
	heap.Close()
}
