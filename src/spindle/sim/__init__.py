"""The rim's twin: a seeded world with virtual time, a lossy net and failing disks."""
