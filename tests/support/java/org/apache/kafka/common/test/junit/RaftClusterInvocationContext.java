package org.apache.kafka.common.test.junit;

import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import kafka.server.ControllerServer;
import kafka.server.KafkaBroker;
import kafka.server.KafkaConfig;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.GroupProtocol;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.test.ClusterInstance;
import org.apache.kafka.common.test.api.ClusterConfig;
import org.apache.kafka.common.test.api.Type;
import org.apache.kafka.server.common.Feature;
import org.apache.kafka.server.fault.FaultHandlerException;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;

/**
 * Stands before Apache Kafka's class of this name on the class path: a test that asks for a cluster
 * gets one of Spindle's (`SpindleNodes`).
 */
public class RaftClusterInvocationContext implements TestTemplateInvocationContext {
    private static final int FIRST_CONTROLLER = 3000;

    private final String name;
    private final ClusterConfig config;
    private final boolean isRepetition;

    public RaftClusterInvocationContext(String name, ClusterConfig config, boolean isCombined) {
        this.name = name;
        this.config = config;
        this.isRepetition = isCombined && config.clusterTypes().size() > 1;
    }

    @Override
    public String getDisplayName(int index) {
        return name + " [" + index + "] on Spindle";
    }

    @Override
    public List<Extension> getAdditionalExtensions() {
        Cluster cluster = new Cluster(config);
        return List.of(
            (ExecutionCondition) context -> isRepetition
                ? ConditionEvaluationResult.disabled("Spindle's cluster has the same shape again")
                : ConditionEvaluationResult.enabled(""),
            (BeforeEachCallback) context -> {
                if (config.isAutoStart()) {
                    cluster.start();
                }
            },
            (AfterEachCallback) context -> cluster.stop(),
            new ClusterInstanceParameterResolver(cluster));
    }

    private static final class Cluster implements ClusterInstance {
        private final ClusterConfig config;
        private final Set<Integer> running = new TreeSet<>();
        private SpindleNodes nodes;
        private final Map<Integer, KafkaConfig> configs = new TreeMap<>();
        private boolean stopped;

        Cluster(ClusterConfig config) {
            this.config = config;
        }

        @Override
        public void start() {
            if (nodes != null) {
                return;
            }
            List<String> shape = new ArrayList<>();
            shape.add("brokers " + config.numBrokers());
            shape.add("controllers " + config.numControllers());
            shape.add("disks " + config.numDisksPerBroker());
            shape.add("level " + config.metadataVersion().featureLevel());
            config.features().forEach((feature, level) ->
                shape.add("feature " + feature.featureName() + "=" + level));
            config.serverProperties().forEach((k, v) -> shape.add("set " + k + "=" + v));
            config.perServerOverrideProperties().forEach((id, own) ->
                own.forEach((k, v) -> shape.add("own " + id + " " + k + "=" + v)));
            nodes = new SpindleNodes(shape);
            for (int id = 0; id < config.numBrokers(); id++) {
                configs.put(id, read(nodes.files().get(id)));
            }
            for (int id = 0; id < config.numBrokers(); id++) {
                running.add(id);
            }
        }

        @Override
        public void stop() {
            stopped = true;
            if (nodes != null) {
                nodes.close();
            }
        }

        @Override
        public void shutdownBroker(int id) {
            nodes.stop(id);
            running.remove(id);
        }

        @Override
        public void startBroker(int id) {
            nodes.start(id);
            running.add(id);
        }

        @Override
        public void waitForReadyBrokers() {
            // `start` returns when all brokers know each other.
        }

        @Override
        public void waitTopicCreation(String topic, int partitions) throws InterruptedException {
            RaftClusterInvocationContext.waitFor(topic + " is known", () -> running.stream()
                .map(this::address)
                .allMatch(address -> isLed(BrokerInsides.partitions(address, topic), partitions)));
        }

        /** Whether all are there, and each is led that can be. */
        private boolean isLed(Optional<List<TopicPartitionInfo>> found, int partitions) {
            return found.filter(known -> known.size() == partitions).isPresent()
                && found.get().stream().allMatch(one -> one.leader() != null
                    || one.replicas().stream().noneMatch(node -> running.contains(node.id())));
        }

        @Override
        public void waitTopicDeletion(String topic) throws InterruptedException {
            Pattern replica = Pattern.compile(Pattern.quote(topic) + "-\\d+(\\..*)?");
            RaftClusterInvocationContext.waitFor(topic + " is gone", () -> running.stream()
                .allMatch(id -> BrokerInsides.partitions(address(id), topic).isEmpty()
                    && configs.get(id).logDirs().stream()
                        .flatMap(disk -> Stream.of(new File(disk).list()))
                        .noneMatch(name -> replica.matcher(name).matches())));
        }

        @Override
        public void waitAcls(AclBindingFilter filter, Collection<AccessControlEntry> wanted)
            throws InterruptedException {
            RaftClusterInvocationContext.waitFor("the ACLs are " + wanted, () -> running.stream()
                .map(this::address)
                .allMatch(address -> BrokerInsides.acls(address, filter)
                    .equals(Optional.of(Set.copyOf(wanted)))));
        }

        private String address(int id) {
            return nodes.brokers().split(",")[id];
        }

        private static KafkaConfig read(String path) {
            Properties own = new Properties();
            try (Reader file = Files.newBufferedReader(Path.of(path))) {
                own.load(file);
            } catch (IOException broken) {
                throw new IllegalStateException(broken);
            }
            return new KafkaConfig(own);
        }

        private KafkaBroker view(int id) {
            return BrokerInsides.broker(
                id, () -> nodes, configs.get(id), () -> startBroker(id), () -> shutdownBroker(id));
        }

        @Override
        public Map<Integer, KafkaBroker> brokers() {
            Map<Integer, KafkaBroker> found = new TreeMap<>();
            configs.keySet().forEach(id -> found.put(id, view(id)));
            return found;
        }

        @Override
        public Map<Integer, KafkaBroker> aliveBrokers() {
            Map<Integer, KafkaBroker> found = new TreeMap<>();
            running.forEach(id -> found.put(id, view(id)));
            return found;
        }

        @Override
        public Type type() {
            return Type.KRAFT;
        }

        /** Their ids, without values: they are processes of their own. */
        @Override
        public Map<Integer, ControllerServer> controllers() {
            Map<Integer, ControllerServer> found = new TreeMap<>() {
                @Override
                public Collection<ControllerServer> values() {
                    return List.of();
                }
            };
            controllerIds().forEach(id -> found.put(id, null));
            return found;
        }

        @Override
        public ClusterConfig config() {
            return config;
        }

        @Override
        public Set<Integer> controllerIds() {
            return IntStream.range(0, config.numControllers())
                .mapToObj(number -> FIRST_CONTROLLER + number).collect(Collectors.toSet());
        }

        @Override
        public ListenerName clientListener() {
            return ListenerName.normalised("PLAINTEXT");
        }

        @Override
        public ListenerName controllerListenerName() {
            return ListenerName.normalised("CONTROLLER");
        }

        @Override
        public String bootstrapServers() {
            return nodes.brokers();
        }

        @Override
        public String bootstrapControllers() {
            return nodes.controllers();
        }

        @Override
        public List<Integer> brokerBoundPorts() {
            return ports(nodes.brokers());
        }

        @Override
        public List<Integer> controllerBoundPorts() {
            return ports(nodes.controllers());
        }

        private static List<Integer> ports(String addresses) {
            return Stream.of(addresses.split(","))
                .map(one -> Integer.valueOf(one.substring(one.lastIndexOf(':') + 1)))
                .toList();
        }

        @Override
        public Set<GroupProtocol> supportedGroupProtocols() {
            Short groups = config.features().get(Feature.GROUP_VERSION);
            boolean isOff = groups != null && groups == 0 || !config.serverProperties()
                .getOrDefault("group.coordinator.rebalance.protocols", "consumer")
                .contains("consumer");
            return isOff
                ? Set.of(GroupProtocol.CLASSIC)
                : Set.of(GroupProtocol.CLASSIC, GroupProtocol.CONSUMER);
        }

        @Override
        public String clusterId() {
            try (Admin admin = admin()) {
                return admin.describeCluster().clusterId().get();
            } catch (Exception unknown) {
                throw new IllegalStateException(unknown);
            }
        }

        @Override
        public Optional<FaultHandlerException> firstFatalException() {
            return Optional.empty();
        }

        @Override
        public Optional<FaultHandlerException> firstNonFatalException() {
            return Optional.empty();
        }

        @Override
        public boolean started() {
            return nodes != null;
        }

        @Override
        public boolean stopped() {
            return stopped;
        }
    }

    private interface Look {
        boolean isSo();
    }

    private static void waitFor(String what, Look look) throws InterruptedException {
        long end = System.nanoTime() + 60_000_000_000L;
        while (!look.isSo()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("not within 60 s: " + what);
            }
            Thread.sleep(100);
        }
    }
}
