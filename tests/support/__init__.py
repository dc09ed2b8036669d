"""What tests share: Apache Kafka as the other party, ports, deadlines."""
