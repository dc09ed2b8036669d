package org.apache.kafka.common.test.junit;

import java.io.File;
import java.io.IOException;
import java.net.Socket;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import kafka.cluster.Partition;
import kafka.log.LogManager;
import kafka.raft.KafkaRaftManager;
import kafka.server.BrokerServer;
import kafka.server.ControllerServer;
import kafka.server.KafkaApis;
import kafka.server.KafkaBroker;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import kafka.server.SharedServer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.QuorumInfo;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.admin.TopicListing;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.requests.ApiError;
import org.apache.kafka.controller.Controller;
import org.apache.kafka.controller.ResultOrError;
import org.apache.kafka.coordinator.group.GroupCoordinator;
import org.apache.kafka.image.loader.MetadataLoader;
import org.apache.kafka.metadata.KRaftMetadataCache;
import org.apache.kafka.metadata.LeaderAndIsr;
import org.apache.kafka.raft.LogOffsetMetadata;
import org.apache.kafka.raft.RaftLog;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.mockito.MockMakers;
import org.mockito.Mockito;
import scala.Option;

/**
 * What Kafka's tests look up inside a broker or a controller, answered from outside: the objects
 * are stand-ins that ask the node by its address. What they have no answer to is refused by name.
 */
public final class BrokerInsides {
    private BrokerInsides() {
    }

    /** A broker in another process. `nodes` is asked late: its cluster may not have begun. */
    public static KafkaBroker broker(
        int id, Supplier<SpindleNodes> nodes, KafkaConfig config, Runnable start, Runnable stop) {
        Supplier<String> address = () -> nodes.get().address(id);
        Supplier<String> known = () -> answering(address.get(), nodes.get().brokers());
        return stand(BrokerServer.class, new HashMap<>(Map.of(
            "config", any -> config,
            "groupCoordinator", any -> groupCoordinator(),
            "metadataCache", any -> metadataCache(known.get()),
            "dataPlaneRequestProcessor", any -> stand(KafkaApis.class, Map.of(
                "clusterId", none -> clusterId(address.get()),
                "metadataCache", none -> metadataCache(address.get()))),
            "replicaManager", any -> replicaManager(id, address.get()),
            "logManager", any -> logManager(id, address.get()),
            "sharedServer", any -> sharedServer(id, address.get()),
            "boundPort", any -> port(address.get()),
            "startup", any -> run(start),
            "shutdown", any -> run(stop))) {{
                // `shutdown` returns when the process has ended.
                put("awaitShutdown", any -> null);
            }});
    }

    /** The controller that is active, as brokers at these addresses tell of it. */
    public static ControllerServer controller(String brokers, KafkaConfig config) {
        return stand(ControllerServer.class, Map.of(
            "config", any -> config,
            "controller", any -> stand(Controller.class, Map.of(
                "findAllTopicIds", asked -> CompletableFuture.completedFuture(topicIds(brokers)),
                "findTopicIds", asked -> CompletableFuture.completedFuture(
                    found(topicIds(brokers), (Collection<?>) asked[1])))),
            "raftManager", any -> stand(KafkaRaftManager.class, Map.of(
                "raftLog", none -> stand(RaftLog.class, Map.of(
                    "endOffset", nothing -> new LogOffsetMetadata(
                        quorum(brokers, QuorumInfo::highWatermark))))))));
    }

    /** What a broker that was shut down knew is asked of the others: tests look into it still. */
    private static String answering(String own, String all) {
        try (Socket link = new Socket("127.0.0.1", port(own))) {
            return own;
        } catch (IOException down) {
            return all;
        }
    }

    private static Object run(Runnable what) {
        what.run();
        return null;
    }

    private static Integer port(String address) {
        return Integer.valueOf(address.substring(address.lastIndexOf(':') + 1));
    }

    /** Knows the settings of the topic of offsets. */
    private static GroupCoordinator groupCoordinator() {
        Properties settings = new Properties();
        settings.put("cleanup.policy", "compact");
        return stand(GroupCoordinator.class, Map.of("groupMetadataTopicConfigs", any -> settings));
    }

    /** Knows brokers, partitions and their leaders, as the broker at this address tells them. */
    private static KRaftMetadataCache metadataCache(String address) {
        return stand(KRaftMetadataCache.class, Map.of(
            "hasAliveBroker", asked -> brokers(address).contains((int) asked[0]),
            "getTopicId", asked -> topicId(address, (String) asked[0]),
            "topicConfig", asked -> topicConfig(address, (String) asked[0]),
            "numPartitions", asked ->
                partitions(address, (String) asked[0]).map(List::size),
            "getPartitionLeaderEndpoint", asked ->
                partition(address, (String) asked[0], (int) asked[1])
                    .map(TopicPartitionInfo::leader),
            "getLeaderAndIsr", asked ->
                partition(address, (String) asked[0], (int) asked[1])
                    .map(partition -> new LeaderAndIsr(
                        partition.leader() == null ? LeaderAndIsr.NO_LEADER
                            : partition.leader().id(),
                        partition.isr().stream().map(Node::id).toList()))));
    }

    /** Knows which partitions the broker leads, and where their logs begin and end. */
    private static ReplicaManager replicaManager(int id, String address) {
        return stand(ReplicaManager.class, Map.of(
            "onlinePartition", asked -> {
                TopicPartition which = (TopicPartition) asked[0];
                return leads(id, address, which)
                    ? Option.apply(stand(Partition.class, Map.of(
                        "leaderLogIfLocal", any -> Option.apply(log(id, address, which)))))
                    : Option.empty();
            },
            "localLog", asked -> Option.apply(log(id, address, (TopicPartition) asked[0]))));
    }

    /** Knows the log directory of each replica of the broker. */
    private static LogManager logManager(int id, String address) {
        return stand(LogManager.class, Map.of(
            "getLog$default$2", any -> false,
            "getLog", asked -> {
                TopicPartition which = (TopicPartition) asked[0];
                return directory(id, address, which, (boolean) asked[1]).isPresent()
                    ? Option.apply(log(id, address, which)) : Option.empty();
            }));
    }

    private static UnifiedLog log(int id, String address, TopicPartition which) {
        return stand(UnifiedLog.class, Map.of(
            "parentDir", any -> directory(id, address, which, false).orElse(null),
            "dir", any -> new File(
                directory(id, address, which, false).orElse(null), which.toString()),
            "logStartOffset", any -> offset(address, which, OffsetSpec.earliest()),
            "logEndOffset", any -> {
                if (!leads(id, address, which)) {
                    throw new UnsupportedOperationException(
                        "the end of a follower's log is not told to clients");
                }
                return offset(address, which, OffsetSpec.latest());
            }));
    }

    /** Knows how far the broker has read the metadata. */
    private static SharedServer sharedServer(int id, String address) {
        return stand(SharedServer.class, Map.of(
            "loader", any -> stand(MetadataLoader.class, Map.of(
                // As here the highest offset is the first that is free, both are one more.
                "lastAppliedOffset", none -> quorum(address, quorum -> quorum.observers().stream()
                    .filter(one -> one.replicaId() == id).findFirst()
                    .map(QuorumInfo.ReplicaState::logEndOffset).orElse(-1L))))));
    }

    private static boolean leads(int id, String address, TopicPartition which) {
        return partition(address, which.topic(), which.partition())
            .filter(one -> one.leader() != null && one.leader().id() == id).isPresent();
    }

    private static Optional<TopicPartitionInfo> partition(String address, String topic, int number) {
        return partitions(address, topic)
            .filter(found -> number < found.size()).map(found -> found.get(number));
    }

    /** The ids of the brokers that the broker at this address names to clients. */
    private static Set<Integer> brokers(String address) {
        return asked(address, admin -> admin.describeCluster().nodes().get().stream()
            .map(Node::id).collect(Collectors.toSet())).orElse(Set.of());
    }

    private static String clusterId(String address) {
        return asked(address, admin -> admin.describeCluster().clusterId().get()).orElseThrow();
    }

    /** The partitions of a topic, if the broker at this address knows it. */
    static Optional<List<TopicPartitionInfo>> partitions(String address, String topic) {
        return asked(address, admin ->
            admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic))
            .map(TopicDescription::partitions);
    }

    /** The ACLs that match, if the broker at this address tells them. */
    static Optional<Set<AccessControlEntry>> acls(String address, AclBindingFilter filter) {
        return asked(address, admin -> admin.describeAcls(filter).values().get().stream()
            .map(AclBinding::entry).collect(Collectors.toSet()));
    }

    /** Zero where the broker does not get to know the topic, for which it has three seconds. */
    private static Uuid topicId(String address, String topic) {
        long end = System.nanoTime() + 3_000_000_000L;
        Uuid found = null;
        while (found == null && System.nanoTime() < end) {
            found = topicIds(address).get(topic);
        }
        return found == null ? Uuid.ZERO_UUID : found;
    }

    /** What the topic itself has, without defaults. */
    private static Properties topicConfig(String address, String topic) {
        ConfigResource which = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        Properties own = new Properties();
        asked(address, admin -> admin.describeConfigs(List.of(which)).all().get().get(which))
            .ifPresent(all -> all.entries().stream()
                .filter(one -> one.source() == ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG)
                .forEach(one -> own.put(one.name(), one.value())));
        return own;
    }

    private static Map<String, Uuid> topicIds(String address) {
        return asked(address, admin -> admin.listTopics().listings().get().stream()
            .collect(Collectors.toMap(TopicListing::name, TopicListing::topicId))).orElseThrow();
    }

    private static Map<String, ResultOrError<Uuid>> found(
        Map<String, Uuid> known, Collection<?> names) {
        return names.stream().map(String.class::cast).collect(Collectors.toMap(
            Function.identity(), name -> known.containsKey(name)
                ? ResultOrError.of(known.get(name))
                : ResultOrError.of(ApiError.fromThrowable(
                    new UnknownTopicOrPartitionException()))));
    }

    private static Long quorum(String address, Function<QuorumInfo, Long> what) {
        return asked(address, admin ->
            what.apply(admin.describeMetadataQuorum().quorumInfo().get())).orElse(-1L);
    }

    private static long offset(String address, TopicPartition which, OffsetSpec spec) {
        return asked(address, admin ->
            admin.listOffsets(Map.of(which, spec)).partitionResult(which).get().offset())
            .orElse(-1L);
    }

    private static Optional<String> directory(
        int id, String address, TopicPartition which, boolean future) {
        return asked(address, admin -> admin.describeLogDirs(List.of(id)).descriptions().get(id)
            .get().entrySet().stream().filter(one -> holds(one.getValue(), which, future))
            .map(Map.Entry::getKey).findFirst().orElse(null));
    }

    private static boolean holds(LogDirDescription disk, TopicPartition which, boolean future) {
        return disk.replicaInfos().containsKey(which)
            && disk.replicaInfos().get(which).isFuture() == future;
    }

    private interface Question<T> {
        T of(Admin admin) throws Exception;
    }

    /** What the broker at this address answers; empty where it does not answer, or knows nothing. */
    private static <T> Optional<T> asked(String address, Question<T> question) {
        Map<String, Object> settings = new HashMap<>(Map.of(
            "bootstrap.servers", address,
            "request.timeout.ms", "3000", "default.api.timeout.ms", "3000"));
        try (Admin admin = Admin.create(settings)) {
            return Optional.ofNullable(question.of(admin));
        } catch (Exception unknown) {
            return Optional.empty();
        }
    }

    private interface Answer {
        Object of(Object[] asked);
    }

    private static <T> T stand(Class<T> type, Map<String, Answer> answers) {
        return Mockito.mock(type, Mockito.withSettings().stubOnly()
            .mockMaker(MockMakers.SUBCLASS)
            .defaultAnswer(call -> {
                Answer answer = answers.get(call.getMethod().getName());
                if (answer == null) {
                    throw new UnsupportedOperationException(
                        type.getSimpleName() + "." + call.getMethod().getName()
                            + ": the node runs in a process of its own");
                }
                return answer.of(call.getArguments());
            }));
    }
}
