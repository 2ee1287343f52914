import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * RollingClient BOOTSTRAP TOPIC: an idempotent producer with Kafka's defaults that sends without a pause, and a member of
 * a consumer group that commits what it has read. Prints 'ready' once both work, and goes on until its input ends; then it
 * lets the group read to the end, reads the topic once more from its beginning, and prints one line:
 *
 *   sent N failed N lost N duplicated N unordered N unread N redelivered N error TEXT
 */
public class RollingClient {
  private static final long PAUSE_MS = 2;
  private static final long PATIENCE_MS = 120_000;

  public static void main(String[] arguments) throws Exception {
    String bootstrap = arguments[0];
    String topic = arguments[1];
    String name = "rolling-" + System.nanoTime();
    Map<String, Boolean> acknowledged = new ConcurrentHashMap<>();
    Map<String, Integer> consumed = new ConcurrentHashMap<>();
    AtomicLong failed = new AtomicLong();
    AtomicReference<String> error = new AtomicReference<>("none");
    boolean[] isOver = {false, false};

    Thread consumer = new Thread(() -> consume(bootstrap, topic, name, consumed, isOver, failed, error));
    consumer.start();
    Thread producer = new Thread(() -> produce(bootstrap, topic, name, acknowledged, isOver, failed, error));
    producer.start();
    while (consumed.isEmpty() && consumer.isAlive()) Thread.sleep(20);
    System.out.println("ready");
    while (System.in.read() >= 0) {}

    isOver[0] = true;
    producer.join();
    long endMs = System.currentTimeMillis() + PATIENCE_MS;
    while (!consumed.keySet().containsAll(acknowledged.keySet()) && System.currentTimeMillis() < endMs) Thread.sleep(50);
    isOver[1] = true;
    consumer.join();

    AtomicLong unordered = new AtomicLong();
    Map<String, Integer> there = readAll(bootstrap, topic, name, unordered);
    long lost = acknowledged.keySet().stream().filter(value -> !there.containsKey(value)).count();
    long duplicated = there.values().stream().filter(count -> count > 1).count();
    long unread = acknowledged.keySet().stream().filter(value -> !consumed.containsKey(value)).count();
    long redelivered = consumed.values().stream().filter(count -> count > 1).count();
    System.out.println("sent " + acknowledged.size() + " failed " + failed + " lost " + lost + " duplicated " + duplicated
        + " unordered " + unordered + " unread " + unread + " redelivered " + redelivered + " error " + error);
  }

  private static void produce(String bootstrap, String topic, String name, Map<String, Boolean> acknowledged,
      boolean[] isOver, AtomicLong failed, AtomicReference<String> error) {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", bootstrap);
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(properties, new StringSerializer(), new StringSerializer())) {
      for (long n = 0; !isOver[0]; n++) {
        String value = name + "-" + n;
        producer.send(new ProducerRecord<>(topic, value, value), (metadata, failure) -> {
          if (failure == null) {
            acknowledged.put(value, true);
            return;
          }
          failed.incrementAndGet();
          error.compareAndSet("none", "send: " + failure);
        });
        Thread.sleep(PAUSE_MS);
      }
    } catch (Exception failure) {
      failed.incrementAndGet();
      error.compareAndSet("none", "producer: " + failure);
    }
  }

  private static void consume(String bootstrap, String topic, String name, Map<String, Integer> consumed,
      boolean[] isOver, AtomicLong failed, AtomicReference<String> error) {
    Properties properties = consumerProperties(bootstrap);
    properties.put("group.id", name);
    properties.put("auto.offset.reset", "earliest");
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(properties, new StringDeserializer(), new StringDeserializer())) {
      consumer.subscribe(List.of(topic));
      while (!isOver[1]) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(100))) {
          if (record.value() != null && record.value().startsWith(name)) consumed.merge(record.value(), 1, Integer::sum);
        }
        consumer.commitAsync();
      }
    } catch (Exception failure) {
      failed.incrementAndGet();
      error.compareAndSet("none", "consumer: " + failure);
    }
  }

  /** How often each record is there; counts those that lie behind one of their partition that was sent later. */
  private static Map<String, Integer> readAll(String bootstrap, String topic, String name, AtomicLong unordered) {
    Map<String, Integer> there = new HashMap<>();
    Map<Integer, Long> newest = new HashMap<>();
    try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(consumerProperties(bootstrap),
        new StringDeserializer(), new StringDeserializer())) {
      List<TopicPartition> partitions = new ArrayList<>();
      consumer.partitionsFor(topic).forEach(one -> partitions.add(new TopicPartition(topic, one.partition())));
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (partitions.stream().anyMatch(one -> consumer.position(one) < ends.get(one))) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(100))) {
          if (record.value() == null || !record.value().startsWith(name)) continue;
          there.merge(record.value(), 1, Integer::sum);
          long number = Long.parseLong(record.value().substring(name.length() + 1));
          if (number < newest.getOrDefault(record.partition(), -1L)) unordered.incrementAndGet();
          newest.merge(record.partition(), number, Math::max);
        }
      }
    }
    return there;
  }

  private static Properties consumerProperties(String bootstrap) {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", bootstrap);
    properties.put("enable.auto.commit", "false");
    return properties;
  }
}
