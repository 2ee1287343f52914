// franz-go: check|leave|verify HOST:PORT …, as ../../java/src/Main.java.
package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	. "kaas/interop/checks"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

var codecs = map[string]kgo.CompressionCodec{
	"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
	"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
}

func client(opts ...kgo.Opt) *kgo.Client {
	cl, err := kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(Bootstrap()), kgo.AllowAutoTopicCreation(), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.HeartbeatInterval(300 * time.Millisecond), kgo.FetchMaxWait(300 * time.Millisecond),
	}, opts...)...)
	if err != nil {
		panic(err)
	}
	return cl
}

func deadline() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), 90*time.Second)
}

func topic(partitions int32, configs map[string]*string) (string, error) {
	ctx, cancel := deadline()
	defer cancel()
	cl := client()
	defer cl.Close()
	name := Fresh("franz")
	if _, err := kadm.NewClient(cl).CreateTopic(ctx, partitions, 1, configs, name); err != nil {
		return name, err
	}
	return name, Until("the topic's leaders", func() bool {
		ends, err := kadm.NewClient(cl).ListEndOffsets(ctx, name)
		return err == nil && ends.Error() == nil && len(ends[name]) == int(partitions)
	})
}

func produce(topic string, partitions, from, to int, opts ...kgo.Opt) error {
	ctx, cancel := deadline()
	defer cancel()
	cl := client(opts...)
	defer cl.Close()
	records := make([]*kgo.Record, 0, to-from)
	for i := from; i < to; i++ {
		records = append(records, &kgo.Record{
			Topic: topic, Partition: int32(i % partitions), Key: fmt.Append(nil, "k", i), Value: fmt.Append(nil, "v", i),
		})
	}
	return cl.ProduceSync(ctx, records...).FirstErr()
}

func read(cl *kgo.Client, count int) ([]*kgo.Record, error) {
	ctx, cancel := deadline()
	defer cancel()
	var records []*kgo.Record
	for len(records) < count {
		fetches := cl.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return records, fmt.Errorf("after %d of %d records: %w", len(records), count, err)
		}
		records = append(records, fetches.Records()...)
	}
	return records, Equal(count, len(records), "records read")
}

func readAll(topic string, count int, opts ...kgo.Opt) ([]*kgo.Record, error) {
	cl := client(append(opts, kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))...)
	defer cl.Close()
	return read(cl, count)
}

func codec(name string) error {
	t, err := topic(3, nil)
	if err != nil {
		return err
	}
	if err := produce(t, 3, 0, 600, kgo.ProducerBatchCompression(codecs[name])); err != nil {
		return err
	}
	records, err := readAll(t, 600)
	for _, r := range records {
		if err == nil {
			err = Equal(fmt.Sprint("v", int(r.Offset)*3+int(r.Partition)), string(r.Value), "value")
		}
	}
	return err
}

func shapes() error {
	t, err := topic(1, nil)
	if err != nil {
		return err
	}
	ctx, cancel := deadline()
	defer cancel()
	cl := client()
	defer cl.Close()
	headers := []kgo.RecordHeader{{Key: "a", Value: []byte("1")}, {Key: "a", Value: []byte("2")}, {Key: "null"}}
	if err := cl.ProduceSync(ctx,
		&kgo.Record{Topic: t, Key: []byte("k"), Value: []byte("v"), Headers: headers},
		&kgo.Record{Topic: t, Key: []byte("tombstone")},
		&kgo.Record{Topic: t, Value: []byte("no key")},
	).FirstErr(); err != nil {
		return err
	}
	records, err := readAll(t, 3)
	if err != nil {
		return err
	}
	return First(
		Equal(headers, records[0].Headers, "headers"),
		Equal(true, records[1].Value == nil, "tombstone"),
		Equal(true, records[2].Key == nil, "null key"))
}

func ordered(opts ...kgo.Opt) error {
	t, err := topic(1, nil)
	if err != nil {
		return err
	}
	if err := produce(t, 1, 0, 2000, append(opts, kgo.ProducerBatchMaxBytes(1024))...); err != nil {
		return err
	}
	records, err := readAll(t, 2000)
	for i, r := range records {
		if err == nil {
			err = Equal(fmt.Sprint(i, " v", i), fmt.Sprint(r.Offset, " ", string(r.Value)), "record")
		}
	}
	return err
}

func large() error {
	limit := "12000000"
	t, err := topic(1, map[string]*string{"max.message.bytes": &limit})
	if err != nil {
		return err
	}
	ctx, cancel := deadline()
	defer cancel()
	cl := client(kgo.ProducerBatchMaxBytes(12_000_000), kgo.BrokerMaxWriteBytes(100<<20), kgo.ProducerBatchCompression(kgo.NoCompression()))
	defer cl.Close()
	value := bytes.Repeat([]byte("0123456789abcdef"), 10<<16)
	if err := cl.ProduceSync(ctx, &kgo.Record{Topic: t, Value: value}).FirstErr(); err != nil {
		return err
	}
	records, err := readAll(t, 1)
	if err == nil && !bytes.Equal(value, records[0].Value) {
		err = fmt.Errorf("the bytes of the message differ")
	}
	return err
}

func group(balancer kgo.GroupBalancer) error {
	t, err := topic(6, nil)
	if err != nil {
		return err
	}
	if err := produce(t, 6, 0, 300); err != nil {
		return err
	}
	group := Fresh("group")
	seen := make(chan string, 10000)
	member := func() *kgo.Client {
		cl := client(kgo.ConsumerGroup(group), kgo.ConsumeTopics(t), kgo.Balancers(balancer),
			kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.AutoCommitInterval(100*time.Millisecond))
		go func() {
			for {
				fetches := cl.PollFetches(context.Background())
				if fetches.IsClientClosed() {
					return
				}
				fetches.EachRecord(func(r *kgo.Record) { seen <- string(r.Value) })
			}
		}()
		return cl
	}
	one := member()
	defer one.Close()
	if err := Until("300 read", func() bool { return len(seen) == 300 }); err != nil {
		return err
	}
	if err := one.CommitUncommittedOffsets(context.Background()); err != nil {
		return err
	}
	two := member()
	if err := Until("two stable members", func() bool {
		cl := client()
		defer cl.Close()
		described, err := kadm.NewClient(cl).DescribeGroups(context.Background(), group)
		if err != nil || described[group].State != "Stable" || len(described[group].Members) != 2 {
			return false
		}
		for _, m := range described[group].Members {
			a, ok := m.Assigned.AsConsumer()
			if !ok || len(a.Topics) != 1 || len(a.Topics[0].Partitions) != 3 {
				return false
			}
		}
		return true
	}); err != nil {
		return err
	}
	if err := produce(t, 6, 300, 600); err != nil {
		return err
	}
	if err := Until("600 read", func() bool { return len(seen) >= 600 }); err != nil {
		return err
	}
	two.Close()
	if err := produce(t, 6, 600, 660); err != nil {
		return err
	}
	if err := Until("660 read", func() bool { return len(seen) >= 660 }); err != nil {
		return err
	}
	once := map[string]bool{}
	for range len(seen) {
		once[<-seen] = true
	}
	return Equal(660, len(once), "different records")
}

func offsets() error {
	keep := "-1"
	t, err := topic(1, map[string]*string{"retention.ms": &keep})
	if err != nil {
		return err
	}
	ctx, cancel := deadline()
	defer cancel()
	cl := client()
	defer cl.Close()
	for i := range 20 {
		r := &kgo.Record{Topic: t, Value: fmt.Append(nil, "v", i), Timestamp: time.UnixMilli(1_700_000_000_000 + int64(i)*1000)}
		if err := cl.ProduceSync(ctx, r).FirstErr(); err != nil {
			return err
		}
	}
	adm := kadm.NewClient(cl)
	starts, err1 := adm.ListStartOffsets(ctx, t)
	ends, err2 := adm.ListEndOffsets(ctx, t)
	after, err3 := adm.ListOffsetsAfterMilli(ctx, 1_700_000_000_000+4500, t)
	max, err4 := adm.ListMaxTimestampOffsets(ctx, t)
	if err := First(err1, err2, err3, err4,
		Equal(0, starts[t][0].Offset, "start"), Equal(20, ends[t][0].Offset, "end"),
		Equal(5, after[t][0].Offset, "after a time"), Equal(19, max[t][0].Offset, "max timestamp")); err != nil {
		return err
	}
	group := Fresh("offsets")
	var at kadm.Offsets
	at.Add(kadm.Offset{Topic: t, Partition: 0, At: 7, LeaderEpoch: -1, Metadata: "note"})
	if _, err := adm.CommitOffsets(ctx, group, at); err != nil {
		return err
	}
	fetched, err := adm.FetchOffsets(ctx, group)
	if err := First(err, Equal("7 note", fmt.Sprint(fetched[t][0].At, " ", fetched[t][0].Metadata), "committed")); err != nil {
		return err
	}
	consumer := client(kgo.ConsumerGroup(group), kgo.ConsumeTopics(t))
	defer consumer.Close()
	records, err := read(consumer, 13)
	return First(err, Equal(7, records[0].Offset, "resumed at"))
}

func administration() error {
	ctx, cancel := deadline()
	defer cancel()
	cl := client()
	defer cl.Close()
	adm := kadm.NewClient(cl)
	t, err := topic(2, nil)
	if err != nil {
		return err
	}
	if _, err := adm.CreateTopic(ctx, 1, 1, nil, t); err != kerr.TopicAlreadyExists {
		return fmt.Errorf("created twice: %v", err)
	}
	if resp, err := adm.CreatePartitions(ctx, 2, t); First(err, resp.Error()) != nil {
		return First(err, resp.Error())
	}
	if err := Until("four partitions", func() bool {
		topics, err := adm.ListTopics(ctx, t)
		return err == nil && len(topics[t].Partitions) == 4
	}); err != nil {
		return err
	}
	value := "1000"
	if _, err := adm.AlterTopicConfigs(ctx, []kadm.AlterConfig{{Op: kadm.SetConfig, Name: "retention.ms", Value: &value}}, t); err != nil {
		return err
	}
	if err := Until("altered", func() bool {
		configs, err := adm.DescribeTopicConfigs(ctx, t)
		if err != nil || len(configs) != 1 {
			return false
		}
		for _, c := range configs[0].Configs {
			if c.Key == "retention.ms" {
				return c.MaybeValue() == value
			}
		}
		return false
	}); err != nil {
		return err
	}
	if err := produce(t, 4, 0, 40); err != nil {
		return err
	}
	var before kadm.Offsets
	before.Add(kadm.Offset{Topic: t, Partition: 1, At: 4})
	if deleted, err := adm.DeleteRecords(ctx, before); First(err, deleted.Error()) != nil {
		return First(err, deleted.Error())
	}
	starts, err := adm.ListStartOffsets(ctx, t)
	if err := First(err, Equal(4, starts[t][1].Offset, "start after DeleteRecords")); err != nil {
		return err
	}
	dirs, err := adm.DescribeAllLogDirs(ctx, nil)
	if err := First(err, Equal(true, len(dirs) == 1, "log dirs")); err != nil {
		return err
	}
	meta, err := adm.BrokerMetadata(ctx)
	if err := First(err, Equal(true, len(meta.Brokers) == 1 && meta.Cluster != "", "cluster")); err != nil {
		return err
	}
	if _, err := adm.DeleteTopic(ctx, t); err != nil {
		return err
	}
	return Until("deleted", func() bool {
		topics, err := adm.ListTopics(ctx)
		return err == nil && !topics.Has(t)
	})
}

func leave(name string) error {
	ctx, cancel := deadline()
	defer cancel()
	t := "left-" + name
	for _, codec := range Codecs {
		cl := client(kgo.ProducerBatchCompression(codecs[codec]), kgo.ProducerLinger(20*time.Millisecond))
		var records []*kgo.Record
		for i := range Each {
			records = append(records, &kgo.Record{
				Topic: t, Key: []byte(LeftKey(codec, i)), Value: []byte(LeftValue(i)),
				Headers: []kgo.RecordHeader{{Key: "codec", Value: []byte(codec)}},
			})
		}
		err := cl.ProduceSync(ctx, records...).FirstErr()
		cl.Close()
		if err != nil {
			return err
		}
	}
	cl := client()
	defer cl.Close()
	var at kadm.Offsets
	at.Add(kadm.Offset{Topic: t, Partition: 0, At: 10, LeaderEpoch: -1})
	_, err := kadm.NewClient(cl).CommitOffsets(ctx, t, at)
	return err
}

func verify(name string, count int) error {
	t := "left-" + name
	records, err := readAll(t, count)
	if err != nil {
		return err
	}
	for at, r := range records {
		codec := string(r.Key[:strings.LastIndexByte(string(r.Key), '-')])
		if err := First(
			Equal(at, r.Offset, "offset"), Equal(LeftKey(codec, at%Each), string(r.Key), "key"),
			Equal(LeftValue(at%Each), string(r.Value), "value"), Equal(codec, string(r.Headers[0].Value), "header")); err != nil {
			return err
		}
	}
	ctx, cancel := deadline()
	defer cancel()
	cl := client()
	defer cl.Close()
	fetched, err := kadm.NewClient(cl).FetchOffsets(ctx, t)
	return First(err, Equal(10, fetched[t][0].At, "committed"))
}

func main() {
	Main(func() {
		for _, name := range Codecs {
			Check("produce and consume, "+name, func() error { return codec(name) })
		}
		Check("keys, headers, tombstones", shapes)
		Check("idempotent producer", func() error { return ordered() })
		Check("plain producer, acks=all", func() error {
			return ordered(kgo.DisableIdempotentWrite(), kgo.MaxProduceRequestsInflightPerBroker(1))
		})
		Check("plain producer, acks=1", func() error {
			return ordered(kgo.DisableIdempotentWrite(), kgo.RequiredAcks(kgo.LeaderAck()), kgo.MaxProduceRequestsInflightPerBroker(1))
		})
		Check("10 MiB message with the limits raised", large)
		for _, b := range []kgo.GroupBalancer{kgo.RangeBalancer(), kgo.StickyBalancer(), kgo.CooperativeStickyBalancer()} {
			Check("group of two and of one, "+b.ProtocolName(), func() error { return group(b) })
		}
		Check("offsets: list, for times, commit, resume", offsets)
		Check("admin: topics, partitions, configs, records, log dirs, cluster", administration)
	}, leave, verify)
}
