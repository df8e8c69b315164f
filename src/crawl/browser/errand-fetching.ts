// Parts of pages that other peers show: fetched here, because their sites are crawled here. In turn with all else that is asked of
// their hosts, and by the same rules as parts of our own pages, whatever the asker thinks of them; what is refused is told with its
// reason.

import { FieldList } from '../../formats/http/field-list.ts'
import { tryParseUrl, type Url } from '../../model/url/url.ts'
import type { MissedReason } from '../jobs/job-outcome.ts'
import { ruleRefusal } from '../rules/rule-refusal.ts'
import { visitTerms } from '../rules/visit-terms.ts'
import { TypeFilter } from '../scope/type-filter.ts'
import type { ErrandKind, PartsNeeds } from './crawled-parts.ts'
import { robotsRefusal } from './part-robots.ts'
import { ruleAgainst, sentOf } from './part-rules.ts'
import { PartTurns } from './part-turns.ts'
import { visitPart } from './part-visitor.ts'

interface AskedPart {
  readonly page: string
  readonly kind: ErrandKind
  readonly method: string
  readonly body: Uint8Array | undefined
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  readonly isStream: boolean
  /** A capture since then will do; 0: it is to be fetched. */
  readonly sinceMs: number
}

type FetchedPart =
  | { readonly kind: 'kept'; readonly capturedAtMs: number }
  | ({ readonly kind: 'missed' } & MissedReason)

/** Less than the asker waits. */
const waitMsMax = 60_000
const everyType = new TypeFilter()
const reader = { isWanted: () => true, deliver: async () => {} }

export class ErrandFetching {
  readonly #needs: PartsNeeds
  readonly #turns: PartTurns

  constructor(needs: PartsNeeds) {
    this.#needs = needs
    this.#turns = new PartTurns(
      { pace: needs.frontier.hosts, clock: needs.clock },
      { own: undefined, waitMsMax, whenFree: () => {} },
    )
  }

  async fetch(url: Url, asked: AskedPart, signal: AbortSignal): Promise<FetchedPart> {
    const { page, kind, method, body, isStream } = asked
    const headers = new FieldList(asked.headers.map(({ name, value }) => [name, value] as const))
    const request = { method, href: url.href, headers, body }
    const refused = ruleAgainst(request, kind) ?? (await this.#refusal(url, kind, signal))
    if (refused !== undefined) return { kind: 'missed', ...refused }
    const known = await this.#known(url, asked)
    if (known !== undefined) return { kind: 'kept', capturedAtMs: known }
    const terms = {
      page: tryParseUrl(page) ?? url,
      depth: 0,
      ...visitTerms(this.#needs.frontier.rules, url, everyType),
      untilOthers: <T>(others: Promise<T>) => others,
    }
    const part = { url, sent: sentOf(request), headers, isStream }
    const visited = await visitPart(this.#needs, this.#turns, terms, part, reader, signal)
    if (visited === undefined)
      return { kind: 'missed', code: 'out-of-turn', reason: 'it is not to be asked for now' }
    if (visited.kind === 'failed') return { kind: 'missed', code: visited.code, reason: visited.reason }
    const { kept, missed, fetched } = visited
    if (kept === 'not-kept' || kept === 'hidden')
      return { kind: 'missed', ...(missed ?? { code: 'taken-down', reason: 'it was taken down' }) }
    return { kind: 'kept', capturedAtMs: fetched.capture.capturedAtMs }
  }

  async #refusal(url: Url, kind: ErrandKind, signal: AbortSignal): Promise<MissedReason | undefined> {
    const { guard, frontier } = this.#needs
    const forbidden = guard.refusalOfHost(url.host)
    if (forbidden !== undefined) return { code: 'address-forbidden', reason: forbidden }
    const found = { url, kind: 'requisite', depth: 0, requisiteHops: 1 }
    const denied = ruleRefusal(frontier.rules, found)
    if (denied !== undefined) return { code: 'out-of-scope', reason: denied }
    return kind === 'frame' ? robotsRefusal({ ...this.#needs, turns: this.#turns }, url, signal) : undefined
  }

  /** When it was captured, if that was late enough. */
  async #known(url: Url, { method, sinceMs }: AskedPart): Promise<number | undefined> {
    if (sinceMs === 0 || method !== 'GET') return undefined
    const last = await this.#needs.archive.lastVersion(url)
    return last !== undefined && last.capturedAtMs >= sinceMs ? last.capturedAtMs : undefined
  }
}
