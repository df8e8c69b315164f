// Bad links: a batch that its owner cannot read is sent in ever smaller parts (bisection), until the unreadable links are found.
//
// Otherwise it would be retried for ever and block all links behind it. Two versions of the program may differ in what they
// accept as a URL, and our own disk may rot: such links are put aside, all others arrive.

import { CallFailed } from '../../platform/calls/calls.ts'
import type { Outcome } from './batch-sender.ts'
import { ExchangeError } from './exchange-error.ts'
import type { LinkText } from './forwarded-link.ts'
import type { OutboxEntry } from './outbox/outbox-entry.ts'

/** Whether the receiver says that it cannot read what we sent, or we are the receiver and cannot. */
export function isUnreadable(error: unknown): boolean {
  if (error instanceof ExchangeError) return error.code === 'exchange-link-damaged'
  return (
    error instanceof CallFailed && (error.code === 'message-malformed' || error.code === 'exchange-too-large')
  )
}

/** As `sendBatch`, for entries that it failed for as a whole. `putAside` gets the links that the receiver cannot read. */
export async function sendInParts(
  entries: readonly OutboxEntry[],
  bring: (entries: readonly OutboxEntry[]) => Promise<Outcome>,
  putAside: (link: LinkText) => void,
): Promise<Outcome> {
  const [only] = entries
  if (entries.length === 1 && only!.links.length === 1) {
    putAside(only!.links[0]!)
    return { taken: entries, refused: [], refusedLinks: 0, later: [] }
  }
  const outcomes: Outcome[] = []
  for (const part of entries.length > 1
    ? halves(entries)
    : halves(only!.links).map((links) => [{ ...only!, links }])) {
    try {
      outcomes.push(await bring(part))
    } catch (error) {
      if (!isUnreadable(error)) throw error
      outcomes.push(await sendInParts(part, bring, putAside))
    }
  }
  return joined(entries, outcomes)
}

/** An entry was taken when all parts of it were. */
export function joined(entries: readonly OutboxEntry[], outcomes: readonly Outcome[]): Outcome {
  const taken = new Map<string, number>()
  for (const { key, links } of outcomes.flatMap((outcome) => outcome.taken)) {
    const name = key.toString('latin1')
    taken.set(name, (taken.get(name) ?? 0) + links.length)
  }
  return {
    taken: entries.filter(({ key, links }) => taken.get(key.toString('latin1')) === links.length),
    refused: outcomes.flatMap(({ refused }) => refused),
    refusedLinks: outcomes.reduce((sum, { refusedLinks }) => sum + refusedLinks, 0),
    later: outcomes.flatMap(({ later }) => later),
    arc: outcomes.find(({ arc }) => arc !== undefined)?.arc,
  }
}

function halves<T>(list: readonly T[]): T[][] {
  const middle = list.length >> 1
  return [list.slice(0, middle), list.slice(middle)]
}
