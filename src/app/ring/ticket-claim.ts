// Claims a ticket before the peer goes onto the ring, where its places will be the ticket's: it is shown to whoever can be
// reached, and when another peer holds it, another one is taken.
//
// A peer that reaches nobody begins with the ticket that it has. Should that turn out to be another's when the others come, it
// leaves the ring then (ring-peer.ts), and takes another at its next start.

import type { TicketChoice } from '../../network/membership/tickets/ticket-choice.ts'
import type { KnownPeer } from '../../network/ring/ring.ts'
import { type Clock, within } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { PeerRefused } from '../../platform/network/network.ts'
import { resolveJoinAddresses } from './ring-joining.ts'
import type { Transport } from './ring-transport.ts'

interface ClaimNeeds {
  readonly transport: Transport
  readonly choice: TicketChoice
  readonly clock: Clock
  readonly log: Log
  lookUpText(name: string): Promise<string[]>
}

interface Doors {
  /** Addresses as people write them. */
  readonly told: readonly string[]
  readonly remembered: readonly KnownPeer[]
  /** It has never been a member: nothing else matters before it knows its ticket. */
  readonly isNew: boolean
}

const doorsMax = 16
const patienceMsNew = 10_000
/** Those whom it remembers may all be gone. */
const patienceMs = 1_000

export async function claimTicket(needs: ClaimNeeds, doors: Doors): Promise<void> {
  const { transport, choice, clock, log } = needs
  if (choice.file.membership?.ticket === undefined) return
  const told = await resolveJoinAddresses(needs, doors.told)
  const remembered = doors.remembered.flatMap(({ addresses }) => addresses.slice(0, 1))
  const addresses = [...new Set([...told, ...remembered])].slice(0, doorsMax)
  const waitMs = doors.isNew ? patienceMsNew : patienceMs
  while (await isTaken(transport, addresses, { clock, waitMs })) {
    log.info(
      { ticket: choice.file.membership?.ticket },
      'This ticket is another peer’s: another one is tried',
    )
    transport.becomes(choice.another().membership!)
  }
}

/** Whether the first who gives an answer at one of these doors says so. */
async function isTaken(
  { network }: Transport,
  addresses: readonly string[],
  { clock, waitMs }: { clock: Clock; waitMs: number },
): Promise<boolean> {
  const answers = addresses.map(async (address) => {
    try {
      await network.meet(address)
      return false
    } catch (error) {
      if (error instanceof PeerRefused && error.refusal === 'network-ticket-taken') return true
      throw error
    }
  })
  return (
    (await within(
      clock,
      waitMs,
      Promise.any(answers).catch(() => false),
    )) ?? false
  )
}
