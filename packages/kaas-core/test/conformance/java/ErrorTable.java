import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.protocol.Errors;

/**
 * Prints Kafka's error table, one error a line: name, number, and whether its clients try again by themselves.
 *
 * Usage: java -cp 'lib/*' ErrorTable.java
 */
public class ErrorTable {
    public static void main(String[] args) {
        for (Errors error : Errors.values()) {
            boolean isRetriable = error.exception() instanceof RetriableException;
            System.out.printf("{\"name\":\"%s\",\"code\":%d,\"retriable\":%b}%n", error, error.code(), isRetriable);
        }
    }
}
