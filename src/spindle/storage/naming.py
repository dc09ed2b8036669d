"""What a directory was asked to do, in an operator's words: for the reasons of failed directories.

Called by whatever makes a DiskFailed of a job. One table for all kinds of jobs; pure.
"""

from __future__ import annotations

from typing import Final

from spindle.model import activity, cleaning_jobs, computing, copying_jobs, scrub_jobs
from spindle.model import jobs as j

ACTIVITIES: Final[dict[type[j.Job[object]], str]] = {
    activity.Observe: "looking at its calls",
    activity.Abandon: "giving it up",
    j.Open: "opening it",
    j.Close: "closing it",
    j.Format: "formatting it",
    j.Release: "closing its files",
    j.MeasureUsage: "reading its free space",
    j.Probe: "probing it",
    j.WriteCheckpoints: "writing its checkpoints",
    j.WriteHighWatermarks: "writing its high watermarks",
    j.CreateLog: "making a log",
    j.Configure: "changing a log's settings",
    j.Append: "appending to a log",
    j.Read: "reading a log",
    j.FindOffset: "finding an offset by its time",
    j.Truncate: "truncating a log",
    j.Reset: "emptying a log",
    j.MoveLogStart: "deleting a log's oldest records",
    j.Retain: "deleting segments by retention",
    j.Flush: "flushing a log",
    j.Discard: "deleting a log",
    j.MarkBad: "marking a log as bad",
    j.Reload: "loading a log again",
    j.Salvage: "setting damaged segments aside",
    j.Restore: "bringing a deleted log back",
    j.Forget: "releasing a deleted log",
    j.Purge: "removing a deleted log's files",
    j.Sweep: "removing deleted segments",
    j.Weigh: "measuring a bad copy",
    j.Promote: "putting a moved replica in place",
    j.SyncNames: "making names durable",
    j.PutFile: "writing a small file",
    j.GetFile: "reading a small file",
    j.ListFiles: "listing its files",
    j.RemoveFile: "removing a small file",
    copying_jobs.MarkCopy: "noting how far a move is",
    copying_jobs.PlanCopy: "planning the copy of a replica",
    copying_jobs.CopyBytes: "copying a replica",
    copying_jobs.AdoptCopied: "taking copied segments up",
    cleaning_jobs.PlanClean: "planning a compaction",
    cleaning_jobs.CleanBytes: "compacting a log",
    cleaning_jobs.AdoptCleaned: "taking compacted segments up",
    computing.CheckRecords: "checking records for a log",
    computing.Compute: "computing an answer",
    scrub_jobs.Scrub: "scrubbing a log",
    scrub_jobs.NoteScrubbed: "noting how far scrubbing is",
}


def activity_of(job: j.Job[object]) -> str:
    """What a job does, so that "... failed" can follow it."""
    return ACTIVITIES[type(job)]
