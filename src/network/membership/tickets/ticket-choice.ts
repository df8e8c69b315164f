// Which ticket this home joins with: the one that it has; should another peer hold that, another of its invitation, each once
// and in a random order, so that many who join with one invitation rarely choose the same.

import type { PeerId } from '../../../platform/network/network.ts'
import type { Random } from '../../../platform/random.ts'
import type { Invitation } from '../invitation.ts'
import { join, type Membership } from '../membership.ts'
import { NetworkError } from '../network-error.ts'
import type { NetworkFile } from '../network-file.ts'
import { ticketName } from './ticket.ts'

type Admission = NonNullable<Invitation['admission']>

export class TicketChoice {
  readonly #random: Random
  readonly #peer: PeerId
  readonly #invitation: Invitation | undefined
  readonly #tried = new Set<string>()
  #file: NetworkFile

  /** `invitation` is the one that the home was told to join with now, if any. */
  constructor(
    needs: { random: Random },
    file: NetworkFile,
    peer: PeerId,
    invitation: Invitation | undefined,
  ) {
    this.#random = needs.random
    this.#file = file
    this.#peer = peer
    this.#invitation = invitation
    this.#noteTried(file.membership)
  }

  get file(): NetworkFile {
    return this.#file
  }

  /** The file with another ticket. Throws 'network-invitation-used' when all were tried. */
  another(): NetworkFile {
    for (const admission of this.#admissions()) {
      const file = withTicket(this.#file, admission, this.#peer, this.#freeOf(admission))
      if (file === undefined) continue
      this.#noteTried(file.membership)
      this.#file = file
      return file
    }
    throw used(this.#file.membership?.grant.tickets?.count ?? 1)
  }

  #admissions(): Admission[] {
    return [this.#invitation?.admission, this.#file.invitation].filter((one) => one !== undefined)
  }

  #freeOf({ grant }: Admission): number | undefined {
    const numbers = Array.from({ length: grant.tickets?.count ?? 0 }, (_, number) => number)
    const free = numbers.filter((number) => !this.#tried.has(ticketName(grant, number)))
    return free.length === 0 ? undefined : free[this.#random.below(free.length)]
  }

  #noteTried(membership: Membership | undefined): void {
    if (membership?.ticket !== undefined) this.#tried.add(ticketName(membership.grant, membership.ticket))
  }
}

/** What a home keeps that joins with this ticket. */
export function withTicket(
  file: NetworkFile,
  admission: Admission,
  peer: PeerId,
  ticket: number | undefined,
): NetworkFile | undefined {
  if (ticket === undefined) return undefined
  const { network, seed, oldMembers } = file
  const hasMore = admission.grant.tickets!.count > 1
  return {
    network,
    seed,
    oldMembers,
    membership: join({ network, addresses: [], admission }, peer, ticket),
    invitation: hasMore ? admission : undefined,
  }
}

function used(count: number): NetworkError {
  const who = count === 1 ? 'one member, and it has joined' : `${count} members, and all ${count} have joined`
  return new NetworkError(
    'network-invitation-used',
    `This invitation was good for ${who}: ask for another. (A peer that lost its disk is a new one, and needs one too.)`,
  )
}
