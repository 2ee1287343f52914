import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;

/** A member of a group that polls in a thread of its own. */
final class Member implements AutoCloseable {
    final Set<TopicPartition> assigned = ConcurrentHashMap.newKeySet();
    final Queue<String> values = new ConcurrentLinkedQueue<>();
    final AtomicInteger revocations = new AtomicInteger();
    volatile Throwable failure;
    private final Consumer<String, String> consumer;
    private final Thread thread;
    private volatile boolean closing;

    Member(String topic, String... config) {
        consumer = Kit.consumer(config);
        consumer.subscribe(List.of(topic), new ConsumerRebalanceListener() {
            @Override
            public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                if (!partitions.isEmpty() && !closing)
                    revocations.incrementAndGet();
                partitions.forEach(assigned::remove);
            }

            @Override
            public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                assigned.addAll(partitions);
            }
        });
        thread = new Thread(this::poll, "member");
        thread.start();
    }

    private void poll() {
        try {
            while (!closing) {
                var records = consumer.poll(Duration.ofMillis(200));
                records.forEach(r -> values.add(r.value()));
                if (!records.isEmpty())
                    consumer.commitSync();
            }
        } catch (WakeupException e) {
            // close() called it
        } catch (Throwable e) {
            failure = e;
        } finally {
            consumer.close(Duration.ofSeconds(5));
        }
    }

    @Override
    public void close() {
        closing = true;
        consumer.wakeup();
        try {
            thread.join(60_000);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
