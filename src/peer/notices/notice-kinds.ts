// All notices that the peers of a network tell each other.

import type { NoticeKind } from '../../replica/notices/notice-kind.ts'
import { jobNoticeKind, seedNoticeKind } from '../jobs/job-notice.ts'
import { leftKind, peerKind } from './presence-notices.ts'
import { splitKind } from './split-notice.ts'
import { takedownKind } from './takedown-notice.ts'
import { ticketKind } from './ticket-notice.ts'
import { visitKind } from './visit-notice.ts'

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
