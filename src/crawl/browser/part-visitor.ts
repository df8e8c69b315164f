// One part of a page, asked of its server in turn, and kept: a visit like any other, with the limits of parts.

import type { Url } from '../../model/url/url.ts'
import type { Clock } from '../../platform/clock.ts'
import type { WebLimits } from '../../platform/network/web.ts'
import type { AddressGuard } from '../address/address-guard.ts'
import { fetchLimits } from '../fetch/limits.ts'
import type { Fetched, FetchFailure } from '../fetch/outcome.ts'
import type { AddressTurns } from '../politeness/host-turns.ts'
import type { UntilOthers } from '../visit/archive.ts'
import type { PageVisitor, Visited, VisitRequest } from '../visit/visit.ts'
import type { PartReader, PartRequest } from './page-parts.ts'
import { askWhenFree, type PartAddress } from './part-address.ts'
import { headersSentOn } from './part-request.ts'
import type { EndTurn, PartTurns } from './part-turns.ts'

interface Needs {
  readonly visiting: PageVisitor
  readonly frontier: { readonly hosts: AddressTurns }
  readonly guard: AddressGuard
  readonly clock: Clock
}

export interface PartTerms {
  /** The page that asks. */
  readonly page: Url
  readonly depth: number
  readonly types: VisitRequest['types']
  /** Of the body, where that is less than parts may have. */
  readonly bytesMax?: number | undefined
  readonly untilOthers: UntilOthers
}

/** A page waits for its parts, and a host that keeps one waiting keeps the others. */
const partLimits: WebLimits = {
  ...fetchLimits,
  bodyBytesMax: 64 * 1024 * 1024,
  stallMsMax: 15_000,
  totalMsMax: 60_000,
}
/** Of a stream of events: what it says at first. */
const streamLimits: WebLimits = { ...partLimits, bodyBytesMax: 1024 * 1024, totalMsMax: 5_000 }
const addressMsMax = 60_000

/** undefined when its host cannot be asked in time, or it is not wanted any more by then. */
export function visitPart(
  { visiting, frontier, guard, clock }: Needs,
  turns: PartTurns,
  { page, depth, types, bytesMax, untilOthers }: PartTerms,
  { url, sent, headers, isStream }: PartRequest,
  { isWanted, deliver }: PartReader,
  signal: AbortSignal,
): Promise<Visited | FetchFailure | undefined> {
  const request = {
    url,
    sent,
    about: [
      ['via', page.href],
      ['hopsFromSeed', String(depth)],
    ] as const,
    documentHref: page.href,
    types,
    untilOthers,
    headers: headersSentOn(headers),
    limits: isStream ? streamLimits : partLimits,
    bytesMax,
    deliver,
  }
  const ask = (endTurn: EndTurn) => async (address: PartAddress) => {
    const whenAnswered = (fetched: Fetched) => {
      address.leave(true)
      endTurn(fetched)
    }
    const outcome = await visiting.visit({ ...request, allow: address, whenAnswered }, signal)
    if (outcome.kind === 'failed' && !address.isBusy) {
      address.leave(true)
      endTurn(outcome)
    }
    return outcome
  }
  const needs = { clock, turns: frontier.hosts, guard }
  const patience = { waitMsMax: addressMsMax, signal }
  return turns.take(
    url,
    async (endTurn) => (isWanted() ? askWhenFree(needs, ask(endTurn), patience) : undefined),
    signal,
  )
}
