// All kinds of announcements.

import type { AnnouncementKind } from '../../network/announcements/announcement-kind.ts'
import { jobAnnouncementKind, seedAnnouncementKind } from '../../network/jobs/job-announcement.ts'
import { visitKind } from '../../network/jobs/visit-announcement.ts'
import { leftKind, peerKind } from '../../network/membership/presence/presence-announcements.ts'
import { ticketKind } from '../../network/membership/tickets/ticket-announcement.ts'
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
]
