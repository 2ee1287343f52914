// franz-go logs in, and is refused: main check SASL_SSL SSL DIR, beside what ../../../security/java/Security.java does.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
	"kaas/interop/checks"
)

var saslSsl, ssl, directory string

func main() {
	saslSsl, ssl, directory = os.Args[2], os.Args[3], os.Args[4]
	checks.Main(all, nil, nil)
}

func all() {
	alice := scram.Auth{User: "alice", Pass: "alice-secret"}
	wrong := scram.Auth{User: "alice", Pass: "wrong"}
	checks.Check("SCRAM-SHA-256 over TLS", func() error { return roundTrip(saslSsl, "", alice.AsSha256Mechanism()) })
	checks.Check("SCRAM-SHA-512 over TLS", func() error { return roundTrip(saslSsl, "", alice.AsSha512Mechanism()) })
	checks.Check("PLAIN over TLS", func() error {
		return roundTrip(saslSsl, "", plain.Auth{User: "alice", Pass: "alice-secret"}.AsMechanism())
	})
	checks.Check("a certificate", func() error { return roundTrip(ssl, "alice") })
	checks.Check("a wrong password", func() error {
		return refused(roundTrip(saslSsl, "", wrong.AsSha512Mechanism()), "SASL_AUTHENTICATION_FAILED")
	})
	checks.Check("no login", func() error { return refused(roundTrip(saslSsl, ""), "") })
	checks.Check("no certificate", func() error { return refused(roundTrip(ssl, ""), "certificate required") })
	checks.Check("a stranger's certificate", func() error { return refused(roundTrip(ssl, "stranger"), "") })
}

func refused(err error, message string) error {
	if err == nil {
		return fmt.Errorf("it was let in")
	}
	if !strings.Contains(err.Error(), message) {
		return fmt.Errorf("refused with %q", err.Error())
	}
	return nil
}

func tlsConfig(certificate string) (*tls.Config, error) {
	ca, err := os.ReadFile(directory + "/ca.pem")
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	config := &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	if certificate != "" {
		pair, err := tls.LoadX509KeyPair(directory+"/"+certificate+".pem", directory+"/"+certificate+".pem")
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

func roundTrip(seed, certificate string, mechanisms ...sasl.Mechanism) error {
	config, err := tlsConfig(certificate)
	if err != nil {
		return err
	}
	topic := checks.Fresh("security")
	client, err := kgo.NewClient(
		kgo.SeedBrokers(seed), kgo.DialTLSConfig(config), kgo.SASL(mechanisms...), kgo.AllowAutoTopicCreation(),
		kgo.DefaultProduceTopic(topic), kgo.ConsumeTopics(topic), kgo.RecordDeliveryTimeout(60*time.Second),
		kgo.RequestRetries(2), kgo.RetryTimeout(60*time.Second), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
	)
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
	defer cancel()
	if err := client.Ping(ctx); err != nil {
		return err
	}
	for i := range 100 {
		record := kgo.StringRecord(fmt.Sprintf("value %d %s", i, strings.Repeat("x", 5000)))
		if err := client.ProduceSync(ctx, record).FirstErr(); err != nil {
			return err
		}
	}
	for count := 0; count < 100; {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err0(); err != nil {
			return err
		}
		count += fetches.NumRecords()
	}
	return nil
}
