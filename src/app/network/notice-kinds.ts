// All notices that the peers of a network tell each other.

import type { NoticeKind } from '../../network/announcements/notice-kind.ts'
import { jobNoticeKind, seedNoticeKind } from '../../network/jobs/job-notice.ts'
import { visitKind } from '../../network/jobs/visit-notice.ts'
import { leftKind, peerKind } from '../../network/membership/presence/presence-notices.ts'
import { ticketKind } from '../../network/membership/tickets/ticket-notice.ts'
import { splitKind } from '../../network/site-splitting/split-notice.ts'
import { takedownKind } from '../../network/takedowns/takedown-notice.ts'

export const noticeKinds: readonly NoticeKind[] = [
  jobNoticeKind,
  seedNoticeKind,
  takedownKind,
  peerKind,
  leftKind,
  splitKind,
  ticketKind,
  visitKind,
]
