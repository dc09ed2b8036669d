package kafka.server;

import java.io.IOException;
import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import kafka.cluster.Partition;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import scala.Option;
import scala.Some;
import sun.misc.Unsafe;

/**
 * What Kafka's tests look up inside a broker, asked from outside: whether it leads a partition, and
 * where the partition's log begins. Of Kafka's classes only what is overridden is there.
 */
public final class Insides {
    private Insides() {
    }

    /** Knows whether broker `id` leads a partition. */
    public static ReplicaManager replicaManager(int id, String bootstrap) {
        Replicas made = made(Replicas.class);
        made.id = id;
        made.bootstrap = bootstrap;
        return made;
    }

    /** An object whose constructor was not run: it would begin what a broker is made of. */
    private static <T> T made(Class<T> type) {
        try {
            Field field = Unsafe.class.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            return type.cast(((Unsafe) field.get(null)).allocateInstance(type));
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static Admin admin(String bootstrap) {
        return Admin.create(new HashMap<>(Map.of("bootstrap.servers", bootstrap)));
    }

    private static final class Leading extends Partition {
        private Leading() {
            super(null, 0, 0, null, null, null, null, null, null, null, null);
        }

        @Override
        public Option<UnifiedLog> leaderLogIfLocal() {
            return new Some<>(null);
        }
    }

    private static final class Log extends UnifiedLog {
        private long start;

        private Log() throws IOException {
            super(0, null, null, 0, null, null, null, false, null);
        }

        @Override
        public long logStartOffset() {
            return start;
        }
    }

    private static final class Replicas extends ReplicaManager {
        private int id;
        private String bootstrap;

        private Replicas() {
            super(null, null, null, null, null, null, null, null, null, null, null, null, null,
                null, null, null, null, null, null, null, null);
        }

        @Override
        public Option<Partition> onlinePartition(TopicPartition which) {
            try (Admin admin = admin(bootstrap)) {
                boolean leads = admin.describeTopics(List.of(which.topic())).allTopicNames().get()
                    .get(which.topic()).partitions().stream().anyMatch(one ->
                        one.partition() == which.partition()
                            && one.leader() != null && one.leader().id() == id);
                return leads ? Option.apply(made(Leading.class)) : Option.empty();
            } catch (Exception unknown) {
                return Option.empty();
            }
        }

        @Override
        public Option<UnifiedLog> localLog(TopicPartition which) {
            try (Admin admin = admin(bootstrap)) {
                Log made = made(Log.class);
                made.start = admin.listOffsets(Map.of(which, OffsetSpec.earliest()))
                    .partitionResult(which).get().offset();
                return Option.apply(made);
            } catch (Exception unknown) {
                return Option.empty();
            }
        }
    }
}
