// Package checks runs named checks and prints one ok or FAIL line for each, as the client programs of all languages do.
package checks

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"
)

// Codecs is what every client can send, in the order in which it leaves them.
var Codecs = []string{"none", "gzip", "snappy", "lz4", "zstd"}

// Each is how many records of each codec a client leaves for the others.
const Each = 25

var failed bool

// Check runs one check; a check fails by returning an error.
func Check(name string, body func() error) {
	began := time.Now()
	if err := body(); err != nil {
		failed = true
		fmt.Printf("FAIL  %s: %s\n", name, strings.ReplaceAll(err.Error(), "\n", " "))
		return
	}
	fmt.Printf("ok    %s (%d ms)\n", name, time.Since(began).Milliseconds())
}

// Equal is an error unless the two print alike.
func Equal(expected, actual any, what string) error {
	if e, a := fmt.Sprint(expected), fmt.Sprint(actual); e != a {
		return fmt.Errorf("%s: expected %.200s, got %.200s", what, e, a)
	}
	return nil
}

// First is the first error of those given, if any.
func First(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Until waits for the condition, at most 20 s.
func Until(what string, condition func() bool) error {
	for end := time.Now().Add(60 * time.Second); !condition(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			return fmt.Errorf("not within 20 s: %s", what)
		}
	}
	return nil
}

// Fresh is a name that nobody has.
func Fresh(prefix string) string { return fmt.Sprintf("%s-%08x", prefix, rand.Uint32()) }

// LeftKey and LeftValue are of the record at a place in what a client leaves for the others.
func LeftKey(codec string, i int) string { return fmt.Sprintf("%s-%d", codec, i) }

// LeftValue is described at LeftKey.
func LeftValue(i int) string { return fmt.Sprintf("value-%d-%s", i, strings.Repeat("x", 200)) }

// Main is the command line of a client program: check|leave|verify HOST:PORT …
func Main(check func(), leave func(name string) error, verify func(name string, count int) error) {
	switch args := os.Args[3:]; os.Args[1] {
	case "check":
		check()
	case "leave":
		Check("leave records and an offset", func() error { return leave(args[0]) })
	case "verify":
		for _, arg := range args {
			name, count, _ := strings.Cut(arg, "=")
			n, _ := strconv.Atoi(count)
			Check("read what "+name+" left", func() error { return verify(name, n) })
		}
	}
	fmt.Println("done")
	if failed {
		os.Exit(1)
	}
}

// Bootstrap is the broker's address.
func Bootstrap() string { return os.Args[2] }
