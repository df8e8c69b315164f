// Every attack there is, in the order in which they are run: rows of docs/security.md.

import type { Attack } from './attack.ts'
import { jobAttacks } from './attacks/jobs.ts'
import { messageAttacks } from './attacks/messages.ts'
import { peerAttacks } from './attacks/peers.ts'
import { takedownAttacks } from './attacks/takedowns.ts'

export const attacks: readonly Attack[] = [
  ...takedownAttacks,
  ...jobAttacks,
  ...peerAttacks,
  ...messageAttacks,
]
