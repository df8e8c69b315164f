// Every attack there is, in the order in which they are run: rows of docs/security.md.

import type { Attack } from './attack.ts'
import { captureAttacks } from './attacks/captures.ts'
import { doorAttacks } from './attacks/doors.ts'
import { floodAttacks } from './attacks/floods.ts'
import { jobAttacks } from './attacks/jobs.ts'
import { messageAttacks } from './attacks/messages.ts'
import { neighbourAttacks } from './attacks/neighbours.ts'
import { peerAttacks } from './attacks/peers.ts'
import { placeAttacks } from './attacks/places.ts'
import { roleAttacks } from './attacks/roles.ts'
import { storedFileAttacks } from './attacks/stored-files.ts'
import { takedownAttacks } from './attacks/takedowns.ts'

export const attacks: readonly Attack[] = [
  ...takedownAttacks,
  ...roleAttacks,
  ...jobAttacks,
  ...peerAttacks,
  ...messageAttacks,
  ...captureAttacks,
  ...neighbourAttacks,
  ...doorAttacks,
  ...placeAttacks,
  ...storedFileAttacks,
  ...floodAttacks,
]
