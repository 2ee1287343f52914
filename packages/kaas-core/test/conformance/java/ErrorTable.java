import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.protocol.Errors;

/**
 * Prints Kafka's error table: name, number, and whether its clients try again by themselves.
 *
 * Usage: java -cp 'lib/*' ErrorTable.java
 */
public class ErrorTable {
    public static void main(String[] args) {
        System.out.println("[");
        int left = Errors.values().length;
        for (Errors error : Errors.values()) {
            boolean isRetriable = error.exception() instanceof RetriableException;
            System.out.printf("{\"name\":\"%s\",\"code\":%d,\"retriable\":%b}%s%n", error, error.code(), isRetriable, --left > 0 ? "," : "");
        }
        System.out.println("]");
    }
}
