// goroutines.go - goroutines that wait, each in a way of its own, and one that
// runs.  Prints "ready"; SIGQUIT makes the runtime print all stacks.
package main

import (
	"os"
	"runtime"
	"sync"
	"time"
)

//go:noinline
func receive(c chan int) int { return <-c }

//go:noinline
func handler(c chan int) { receive(c) }

//go:noinline
func send(c chan int) { c <- 1 }

//go:noinline
func lock(m *sync.Mutex) { m.Lock() }

//go:noinline
func choose(a, b chan int) {
	select {
	case <-a:
	case <-b:
	}
}

//go:noinline
func sleep() { time.Sleep(time.Hour) }

//go:noinline
func join(w *sync.WaitGroup) { w.Wait() }

//go:noinline
func recurse(n int, c chan int) {
	if n > 0 {
		recurse(n-1, c)
		runtime.KeepAlive(n)
		return
	}
	receive(c)
}

func main() {
	c := make(chan int)
	var m sync.Mutex
	var w sync.WaitGroup
	w.Add(1)
	m.Lock()
	for i := 0; i < 40; i++ {
		go handler(c)
	}
	go send(make(chan int))
	go lock(&m)
	go choose(c, make(chan int))
	go sleep()
	go join(&w)
	go recurse(50, c)
	go func() { receive(nil) }()
	// Until all of them wait.
	time.Sleep(100 * time.Millisecond)
	os.Stdout.WriteString("ready\n")
	for {
		runtime.Gosched()
	}
}
