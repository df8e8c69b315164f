// A ticket: the right to be one member of a network, and what decides where on the ring that member lies.
//
// Its salt follows from the invitation's, which the network's key has signed together with how many tickets there are. So
// nobody but who holds the network's key can have a say in where members lie; who holds an invitation for N members can choose
// among N tickets. One for a single member leaves no choice at all.

import { hash } from 'node:crypto'
import { bytesToText } from '../fields.ts'
import type { Grant } from '../invitation.ts'

/** By which a ticket is known: no two tickets of a network have the same. */
export function ticketName({ key }: Grant, ticket: number): string {
  return `${bytesToText(key)} ${ticket}`
}

/** What the places of whoever holds the ticket are made from. */
export function ticketSalt({ tickets }: Grant, ticket: number): string {
  return `ticket ${hash('sha256', `polyhistor ticket\n${bytesToText(tickets!.salt)}\n${ticket}`, 'hex')}`
}

export function isTicketOf({ tickets }: Grant, ticket: number): boolean {
  return tickets !== undefined && ticket < tickets.count
}
