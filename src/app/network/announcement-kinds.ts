// All kinds of announcements.

import type { AnnouncementKind } from '../../network/announcements/announcement-kind.ts'
import { jobAnnouncementKind, seedAnnouncementKind } from '../../network/jobs/job-announcement.ts'
import { scheduleKind } from '../../network/jobs/network-schedules.ts'
import { logHeadKind } from '../../network/log-heads/head-announcement.ts'
import { leftKind, peerKind } from '../../network/membership/presence/presence-announcements.ts'
import { ticketKind } from '../../network/membership/tickets/ticket-announcement.ts'
import { releaseKind } from '../../network/releases/network-releases.ts'
import { roleKind } from '../../network/roles/role-statement.ts'
import { ruleKind } from '../../network/rules/rule-announcement.ts'
import { visitKind } from '../../network/rules/visit-announcement.ts'
import { vouchKind } from '../../network/screening/vouch-announcement.ts'
import { placementKind } from '../../network/site-placement/placement-announcement.ts'
import { splitKind } from '../../network/site-splitting/split-announcement.ts'
import { takedownKind } from '../../network/takedowns/takedown-announcement.ts'

export const announcementKinds: readonly AnnouncementKind[] = [
  jobAnnouncementKind,
  seedAnnouncementKind,
  takedownKind,
  peerKind,
  leftKind,
  splitKind,
  ticketKind,
  visitKind,
  ruleKind,
  scheduleKind,
  logHeadKind,
  placementKind,
  roleKind,
  vouchKind,
  releaseKind,
]
