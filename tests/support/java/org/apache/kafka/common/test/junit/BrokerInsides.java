package org.apache.kafka.common.test.junit;

import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.coordinator.group.GroupCoordinator;
import org.apache.kafka.metadata.LeaderAndIsr;
import org.apache.kafka.metadata.MetadataCache;

/** What Kafka's tests look up inside a broker to wait for a topic, answered from outside. */
final class BrokerInsides {
    private BrokerInsides() {
    }

    /** Knows the settings of the topic of offsets. */
    static GroupCoordinator groupCoordinator() {
        Properties settings = new Properties();
        settings.put("cleanup.policy", "compact");
        return stand(GroupCoordinator.class, Map.of("groupMetadataTopicConfigs", any -> settings));
    }

    /** Knows the partitions of topics and their leaders, as the broker at this address tells them. */
    static MetadataCache metadataCache(String address) {
        return stand(MetadataCache.class, Map.of(
            "numPartitions", asked ->
                partitions(address, (String) asked[0]).map(List::size),
            "getLeaderAndIsr", asked ->
                partitions(address, (String) asked[0])
                    .filter(found -> (int) asked[1] < found.size())
                    .map(found -> found.get((int) asked[1]))
                    .map(partition -> new LeaderAndIsr(
                        partition.leader() == null ? LeaderAndIsr.NO_LEADER
                            : partition.leader().id(),
                        partition.isr().stream().map(Node::id).toList()))));
    }

    /** The partitions of a topic, if the broker at this address knows it. */
    static Optional<List<TopicPartitionInfo>> partitions(String address, String topic) {
        Map<String, Object> where = new HashMap<>(Map.of("bootstrap.servers", address));
        try (Admin admin = Admin.create(where)) {
            TopicDescription found = admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic);
            return Optional.of(found.partitions());
        } catch (Exception unknown) {
            return Optional.empty();
        }
    }

    /** The ACLs that match, if the broker at this address tells them. */
    static Optional<Set<AccessControlEntry>> acls(String address, AclBindingFilter filter) {
        try (Admin admin = Admin.create(new HashMap<>(Map.of("bootstrap.servers", address)))) {
            return Optional.of(admin.describeAcls(filter).values().get().stream()
                .map(AclBinding::entry).collect(Collectors.toSet()));
        } catch (Exception unknown) {
            return Optional.empty();
        }
    }

    private interface Answer {
        Object of(Object[] asked);
    }

    private static <T> T stand(Class<T> type, Map<String, Answer> answers) {
        return type.cast(Proxy.newProxyInstance(
            type.getClassLoader(), new Class<?>[] {type},
            (proxy, method, asked) -> {
                Answer answer = answers.get(method.getName());
                if (answer == null) {
                    throw new UnsupportedOperationException(
                        type.getSimpleName() + "." + method.getName()
                            + ": the broker runs in a process of its own");
                }
                return answer.of(asked);
            }));
    }
}
