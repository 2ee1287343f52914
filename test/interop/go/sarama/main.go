// sarama: check|leave|verify HOST:PORT …, as ../../java/src/Main.java.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	. "kaas/interop/checks"

	"github.com/IBM/sarama"
)

var codecs = map[string]sarama.CompressionCodec{
	"none": sarama.CompressionNone, "gzip": sarama.CompressionGZIP, "snappy": sarama.CompressionSnappy,
	"lz4": sarama.CompressionLZ4, "zstd": sarama.CompressionZSTD,
}

func config(change func(*sarama.Config)) *sarama.Config {
	c := sarama.NewConfig()
	c.Version = sarama.MaxVersion
	c.Producer.Return.Successes = true
	c.Producer.RequiredAcks = sarama.WaitForAll
	c.Producer.Partitioner = sarama.NewManualPartitioner
	c.Consumer.Offsets.Initial = sarama.OffsetOldest
	c.Consumer.Offsets.AutoCommit.Interval = 100 * time.Millisecond
	c.Consumer.Group.Heartbeat.Interval = 300 * time.Millisecond
	c.Consumer.MaxWaitTime = 200 * time.Millisecond
	c.Metadata.Retry.Backoff = 100 * time.Millisecond
	c.Metadata.Retry.Max = 20
	if change != nil {
		change(c)
	}
	return c
}

func brokers() []string { return []string{Bootstrap()} }

func admin() sarama.ClusterAdmin {
	a, err := sarama.NewClusterAdmin(brokers(), config(nil))
	if err != nil {
		panic(err)
	}
	return a
}

func topic(partitions int32, configs map[string]*string) (string, error) {
	name := Fresh("sarama")
	a := admin()
	defer a.Close()
	if err := a.CreateTopic(name, &sarama.TopicDetail{NumPartitions: partitions, ReplicationFactor: 1, ConfigEntries: configs}, false); err != nil {
		return name, err
	}
	return name, Until("the topic's leaders", func() bool {
		client, err := sarama.NewClient(brokers(), config(nil))
		if err != nil {
			return false
		}
		defer client.Close()
		for p := range partitions {
			if _, err := client.GetOffset(name, p, sarama.OffsetNewest); err != nil {
				return false
			}
		}
		return true
	})
}

func send(messages []*sarama.ProducerMessage, change func(*sarama.Config)) error {
	p, err := sarama.NewSyncProducer(brokers(), config(change))
	if err != nil {
		return err
	}
	defer p.Close()
	return p.SendMessages(messages)
}

func numbered(topic string, partitions, from, to int) []*sarama.ProducerMessage {
	var messages []*sarama.ProducerMessage
	for i := from; i < to; i++ {
		messages = append(messages, &sarama.ProducerMessage{
			Topic: topic, Partition: int32(i % partitions),
			Key: sarama.StringEncoder(fmt.Sprint("k", i)), Value: sarama.StringEncoder(fmt.Sprint("v", i)),
		})
	}
	return messages
}

func readAll(topic string, partitions int32, count int) ([]*sarama.ConsumerMessage, error) {
	c, err := sarama.NewConsumer(brokers(), config(func(c *sarama.Config) { c.Consumer.Fetch.Max = 100 << 20 }))
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var records []*sarama.ConsumerMessage
	for p := range partitions {
		pc, err := c.ConsumePartition(topic, p, sarama.OffsetOldest)
		if err != nil {
			return nil, err
		}
		timeout := time.After(60 * time.Second)
		for i := 0; i < count/int(partitions); i++ {
			select {
			case m := <-pc.Messages():
				records = append(records, m)
			case <-timeout:
				return nil, fmt.Errorf("read %d of %d records", len(records), count)
			}
		}
		pc.AsyncClose()
	}
	return records, nil
}

func codec(name string) error {
	t, err := topic(3, nil)
	if err != nil {
		return err
	}
	if err := send(numbered(t, 3, 0, 600), func(c *sarama.Config) { c.Producer.Compression = codecs[name] }); err != nil {
		return err
	}
	records, err := readAll(t, 3, 600)
	seen := map[string]bool{}
	for _, r := range records {
		seen[string(r.Value)] = true
	}
	return First(err, Equal(600, len(seen), "different records"))
}

func shapes() error {
	t, err := topic(1, nil)
	if err != nil {
		return err
	}
	headers := []sarama.RecordHeader{{Key: []byte("a"), Value: []byte("1")}, {Key: []byte("a"), Value: []byte("2")}}
	if err := send([]*sarama.ProducerMessage{
		{Topic: t, Key: sarama.StringEncoder("k"), Value: sarama.StringEncoder("v"), Headers: headers},
		{Topic: t, Key: sarama.StringEncoder("tombstone")},
		{Topic: t, Value: sarama.StringEncoder("no key")},
	}, nil); err != nil {
		return err
	}
	records, err := readAll(t, 1, 3)
	if err != nil {
		return err
	}
	return First(
		Equal(2, len(records[0].Headers), "headers"), Equal("2", string(records[0].Headers[1].Value), "header"),
		Equal(true, records[1].Value == nil, "tombstone"), Equal(true, records[2].Key == nil, "null key"))
}

func ordered(change func(*sarama.Config)) error {
	t, err := topic(1, nil)
	if err != nil {
		return err
	}
	if err := send(numbered(t, 1, 0, 2000), change); err != nil {
		return err
	}
	records, err := readAll(t, 1, 2000)
	for i, r := range records {
		err = First(err, Equal(fmt.Sprint(i, " v", i), fmt.Sprint(r.Offset, " ", string(r.Value)), "record"))
	}
	return err
}

func large() error {
	limit := "12000000"
	t, err := topic(1, map[string]*string{"max.message.bytes": &limit})
	if err != nil {
		return err
	}
	value := bytes.Repeat([]byte("0123456789abcdef"), 10<<16)
	if err := send([]*sarama.ProducerMessage{{Topic: t, Value: sarama.ByteEncoder(value)}}, func(c *sarama.Config) {
		c.Producer.MaxMessageBytes = 12_000_000
	}); err != nil {
		return err
	}
	records, err := readAll(t, 1, 1)
	if err == nil && !bytes.Equal(value, records[0].Value) {
		err = errors.New("the bytes of the message differ")
	}
	return err
}

// member reads in a group and keeps what it was given.
type member struct {
	sync.Mutex
	claimed int
	values  map[string]bool
}

func (m *member) Setup(s sarama.ConsumerGroupSession) error {
	m.Lock()
	defer m.Unlock()
	m.claimed = 0
	for _, partitions := range s.Claims() {
		m.claimed += len(partitions)
	}
	return nil
}

func (m *member) Cleanup(sarama.ConsumerGroupSession) error { return nil }

func (m *member) ConsumeClaim(s sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	for {
		select {
		case r, ok := <-claim.Messages():
			if !ok {
				return nil
			}
			m.Lock()
			m.values[string(r.Value)] = true
			m.Unlock()
			s.MarkMessage(r, "")
		case <-s.Context().Done():
			return nil
		}
	}
}

func (m *member) counts() (int, int) {
	m.Lock()
	defer m.Unlock()
	return m.claimed, len(m.values)
}

func join(group, topic string, strategy sarama.BalanceStrategy, instance string) (*member, func()) {
	g, err := sarama.NewConsumerGroup(brokers(), group, config(func(c *sarama.Config) {
		c.Consumer.Group.Rebalance.GroupStrategies = []sarama.BalanceStrategy{strategy}
		c.Consumer.Group.InstanceId = instance
	}))
	if err != nil {
		panic(err)
	}
	m := &member{values: map[string]bool{}}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			_ = g.Consume(ctx, []string{topic}, m)
		}
	}()
	return m, func() { cancel(); <-ended; g.Close() }
}

func group(strategy sarama.BalanceStrategy, instances ...string) error {
	t, err := topic(6, nil)
	if err != nil {
		return err
	}
	if err := send(numbered(t, 6, 0, 300), nil); err != nil {
		return err
	}
	id := Fresh("group")
	one, leaveOne := join(id, t, strategy, instances[0])
	defer leaveOne()
	if err := Until("one has all", func() bool { c, v := one.counts(); return c == 6 && v == 300 }); err != nil {
		return err
	}
	two, leaveTwo := join(id, t, strategy, instances[1])
	err = Until("three each", func() bool {
		a, _ := one.counts()
		b, _ := two.counts()
		return a == 3 && b == 3
	})
	if err == nil {
		err = send(numbered(t, 6, 300, 600), nil)
	}
	if err == nil {
		err = Until("all read", func() bool { _, a := one.counts(); _, b := two.counts(); return a+b >= 600 && b >= 150 })
	}
	leaveTwo()
	if err != nil || instances[1] != "" { // a static member that closes does not leave
		return err
	}
	return Until("one has all again", func() bool { c, _ := one.counts(); return c == 6 })
}

func offsets() error {
	keep := "-1"
	t, err := topic(1, map[string]*string{"retention.ms": &keep})
	if err != nil {
		return err
	}
	messages := numbered(t, 1, 0, 20)
	for i, m := range messages {
		m.Timestamp = time.UnixMilli(1_700_000_000_000 + int64(i)*1000)
		if err := send([]*sarama.ProducerMessage{m}, nil); err != nil {
			return err
		}
	}
	client, err := sarama.NewClient(brokers(), config(nil))
	if err != nil {
		return err
	}
	defer client.Close()
	oldest, err1 := client.GetOffset(t, 0, sarama.OffsetOldest)
	newest, err2 := client.GetOffset(t, 0, sarama.OffsetNewest)
	after, err3 := client.GetOffset(t, 0, 1_700_000_000_000+4500)
	if err := First(err1, err2, err3, Equal("0 20 5", fmt.Sprint(oldest, newest, after), "offsets")); err != nil {
		return err
	}
	id := Fresh("offsets")
	manager, err := sarama.NewOffsetManagerFromClient(id, client)
	if err != nil {
		return err
	}
	part, err := manager.ManagePartition(t, 0)
	if err != nil {
		return err
	}
	part.MarkOffset(7, "note")
	manager.Commit()
	part.Close()
	manager.Close()
	a := admin()
	defer a.Close()
	listed, err := a.ListConsumerGroupOffsets(id, map[string][]int32{t: {0}})
	if err != nil {
		return err
	}
	if err := Equal("7 note", fmt.Sprint(listed.Blocks[t][0].Offset, " ", listed.Blocks[t][0].Metadata), "committed"); err != nil {
		return err
	}
	m, leave := join(id, t, sarama.NewBalanceStrategyRange(), "")
	defer leave()
	return Until("13 read", func() bool { _, v := m.counts(); return v == 13 })
}

func administration() error {
	t, err := topic(2, nil)
	if err != nil {
		return err
	}
	a := admin()
	defer a.Close()
	var exists *sarama.TopicError
	if err := a.CreateTopic(t, &sarama.TopicDetail{NumPartitions: 1, ReplicationFactor: 1}, false); !errors.As(err, &exists) || exists.Err != sarama.ErrTopicAlreadyExists {
		return fmt.Errorf("created twice: %v", err)
	}
	if err := a.CreatePartitions(t, 4, nil, false); err != nil {
		return err
	}
	if err := Until("four partitions", func() bool {
		d, err := a.DescribeTopics([]string{t})
		return err == nil && len(d[0].Partitions) == 4
	}); err != nil {
		return err
	}
	value := "1000"
	if err := a.IncrementalAlterConfig(sarama.TopicResource, t, map[string]sarama.IncrementalAlterConfigsEntry{
		"retention.ms": {Operation: sarama.IncrementalAlterConfigsOperationSet, Value: &value},
	}, false); err != nil {
		return err
	}
	if err := Until("altered", func() bool {
		entries, err := a.DescribeConfig(sarama.ConfigResource{Type: sarama.TopicResource, Name: t, ConfigNames: []string{"retention.ms"}})
		return err == nil && len(entries) == 1 && entries[0].Value == value
	}); err != nil {
		return err
	}
	if err := send(numbered(t, 4, 0, 40), nil); err != nil {
		return err
	}
	if err := a.DeleteRecords(t, map[int32]int64{1: 4}); err != nil {
		return err
	}
	groups, err := a.ListConsumerGroups()
	if err := First(err, Equal(true, len(groups) > 0, "groups listed")); err != nil {
		return err
	}
	nodes, _, err := a.DescribeCluster()
	if err := First(err, Equal(1, len(nodes), "nodes")); err != nil {
		return err
	}
	dirs, err := a.DescribeLogDirs([]int32{nodes[0].ID()})
	if err := First(err, Equal(1, len(dirs), "log dirs")); err != nil {
		return err
	}
	if err := a.DeleteTopic(t); err != nil {
		return err
	}
	return Until("deleted", func() bool {
		topics, err := a.ListTopics()
		_, still := topics[t]
		return err == nil && !still
	})
}

func leave(name string) error {
	t := "left-" + name
	for _, codec := range Codecs {
		var messages []*sarama.ProducerMessage
		for i := range Each {
			messages = append(messages, &sarama.ProducerMessage{
				Topic: t, Key: sarama.StringEncoder(LeftKey(codec, i)), Value: sarama.StringEncoder(LeftValue(i)),
				Headers: []sarama.RecordHeader{{Key: []byte("codec"), Value: []byte(codec)}},
			})
		}
		if err := send(messages, func(c *sarama.Config) {
			c.Producer.Compression = codecs[codec]
			c.Producer.Flush.Messages = Each
			c.Producer.Flush.Frequency = 50 * time.Millisecond
		}); err != nil {
			return err
		}
	}
	client, err := sarama.NewClient(brokers(), config(nil))
	if err != nil {
		return err
	}
	defer client.Close()
	manager, err := sarama.NewOffsetManagerFromClient(t, client)
	if err != nil {
		return err
	}
	part, err := manager.ManagePartition(t, 0)
	if err != nil {
		return err
	}
	part.MarkOffset(10, "")
	manager.Commit()
	return First(part.Close(), manager.Close())
}

func verify(name string, count int) error {
	t := "left-" + name
	records, err := readAll(t, 1, count)
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
	a := admin()
	defer a.Close()
	listed, err := a.ListConsumerGroupOffsets(t, map[string][]int32{t: {0}})
	if err != nil {
		return err
	}
	return Equal(10, listed.Blocks[t][0].Offset, "committed")
}

func main() {
	Main(func() {
		for _, name := range Codecs {
			Check("produce and consume, "+name, func() error { return codec(name) })
		}
		Check("keys, headers, tombstones", shapes)
		Check("idempotent producer", func() error {
			return ordered(func(c *sarama.Config) { c.Producer.Idempotent = true; c.Net.MaxOpenRequests = 1 })
		})
		Check("plain producer, acks=all", func() error { return ordered(func(c *sarama.Config) { c.Net.MaxOpenRequests = 1 }) })
		Check("plain producer, acks=1", func() error {
			return ordered(func(c *sarama.Config) { c.Net.MaxOpenRequests = 1; c.Producer.RequiredAcks = sarama.WaitForLocal })
		})
		for _, v := range []sarama.KafkaVersion{sarama.V1_0_0_0, sarama.V2_1_0_0, sarama.V2_8_0_0} {
			Check("as a client of Kafka "+v.String(), func() error { return ordered(func(c *sarama.Config) { c.Version = v }) })
		}
		Check("10 MiB message with the limits raised", large)
		for _, s := range []sarama.BalanceStrategy{sarama.NewBalanceStrategyRange(), sarama.NewBalanceStrategyRoundRobin(), sarama.NewBalanceStrategySticky()} {
			Check("group of two and of one, "+s.Name(), func() error { return group(s, "", "") })
		}
		Check("group of two static members", func() error { return group(sarama.NewBalanceStrategyRange(), "a", "b") })
		Check("offsets: oldest, newest, for times, commit, resume", offsets)
		Check("admin: topics, partitions, configs, records, log dirs, cluster", administration)
	}, leave, verify)
}
