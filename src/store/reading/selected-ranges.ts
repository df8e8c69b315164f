// The stretches of the index that hold a selection, in order. The one place that knows which keys a site, host or prefix has:
// lists, exports and takedowns all ask here.
//
// A name with sites of their own under it (`gov.uk`, `github.io`: see site.ts) has its captures at many places of the ring. They
// are found site by site: a look at the first capture of each site in the index, and all of the site where it is meant.

import { parseRingKey, ringKeyBytes, ringKeyOfSite, ringKeyToBytes } from '../../model/ring-key.ts'
import type { TimeRange } from '../../model/time-range.ts'
import { hasSitesUnder, type SiteKey, siteOf } from '../../model/url/site.ts'
import {
  isWithin,
  type SurtRange,
  surtDomainRanges,
  surtHostRanges,
  surtPrefixRange,
} from '../../model/url/surt-range.ts'
import { parseUrl, type Url } from '../../model/url/url.ts'
import type { Range } from '../../platform/storage/key-value.ts'
import type { CaptureEntry } from '../index/capture-entry.ts'
import {
  afterPrefix,
  captureKey,
  cutSurtBytes,
  parseCaptureKey,
  siteBound,
  urlPrefix,
} from '../index/capture-key.ts'
import type { StoreIndex } from '../index/store-index.ts'
import type { Selection } from './capture-finder.ts'

interface KeyRange {
  readonly from?: Uint8Array
  readonly to?: Uint8Array
}

/** Several sites, within a part of the ring. */
interface DomainSelection {
  readonly domain: string
  readonly within: KeyRange
}

/** `after`: what lies before this key is not wanted, and need not be looked for. */
export function selectedRanges(
  index: Pick<StoreIndex, 'captures'>,
  selection: Selection,
  after?: Uint8Array,
): Iterable<KeyRange> {
  const sites = sitesSelected(selection)
  return sites === undefined ? fixedRanges(selection) : domainRanges(index, sites, after)
}

/** Whether a capture with this key is of the selection. */
export function isSelected(selection: Selection, key: Uint8Array): boolean {
  const sites = sitesSelected(selection)
  if (sites === undefined) return fixedRanges(selection).some((range) => isKeyWithin(key, range))
  return isKeyWithin(key, sites.within) && isWithin(surtDomainRanges(sites.domain), parseCaptureKey(key).surt)
}

/** Where the answers to other requests than GETs of a URL, or of a prefix with a query, lie: parameters are sorted in keys, so among
 * whatever else has the path. */
export function requestRanges(selection: Selection): KeyRange[] {
  if (selection.kind !== 'url' && selection.kind !== 'prefix') return []
  const { surt, site } = parseUrl(selection.url)
  const path = surt.split('?', 1)[0]!
  if (selection.kind === 'prefix' && path === surt) return []
  if (path.length < cutSurtBytes) return [siteRange(site, { from: `${path}?`, to: `${path}@` })]
  // Keys are cut before the query begins.
  const start = path.slice(0, cutSurtBytes)
  return [siteRange(site, { from: start, to: `${start}\x7f` })]
}

export function versionRange(url: Pick<Url, 'ringKey' | 'surt'>, { fromMs, toMs }: TimeRange): Range {
  const prefix = urlPrefix(url.ringKey, url.surt)
  const end = afterPrefix(prefix)
  return {
    from: fromMs === undefined ? prefix : captureKey(prefix, fromMs, 0),
    ...(toMs === undefined ? end && { to: end } : { to: captureKey(prefix, toMs, 0) }),
  }
}

function sitesSelected(selection: Selection): DomainSelection | undefined {
  if (selection.kind === 'site' && hasSitesUnder(selection.site)) {
    return { domain: selection.site, within: {} }
  }
  if (selection.kind === 'ring' && selection.domain !== undefined) {
    return { domain: selection.domain, within: ringRange(selection) }
  }
  return undefined
}

function fixedRanges(selection: Selection): KeyRange[] {
  switch (selection.kind) {
    case 'all':
      return [{}]
    case 'url':
      return [versionRange(parseUrl(selection.url), {})]
    case 'prefix':
      return [siteRange(parseUrl(selection.url).site, surtPrefixRange(selection.url))]
    case 'host':
      return surtHostRanges(selection.host).map((range) => siteRange(siteOf(selection.host), range))
    case 'site':
      return surtDomainRanges(selection.site).map((range) => siteRange(siteOf(selection.site), range))
    case 'ring':
      return [ringRange(selection)]
  }
}

function* domainRanges(
  index: Pick<StoreIndex, 'captures'>,
  { domain, within }: DomainSelection,
  after: Uint8Array | undefined,
): Generator<KeyRange> {
  const surts = surtDomainRanges(domain)
  const from =
    after && (!within.from || Buffer.compare(after, within.from) > 0) ? siteStart(after) : within.from
  for (const { first, ...range } of siteRanges(index, { ...within, ...(from && { from }) })) {
    // A site lies under the name as a whole or not at all, so its first URL speaks for the others.
    if (isWithin(surts, parseCaptureKey(first[0]).surt)) yield range
  }
}

interface SiteRange extends KeyRange {
  readonly first: [key: Uint8Array, entry: CaptureEntry]
}

/** All of each site, with a look into the index for each. */
export function* siteRanges(
  index: Pick<StoreIndex, 'captures'>,
  within: KeyRange = {},
): Generator<SiteRange> {
  let { from } = within
  for (;;) {
    const [first] = index.captures({ ...within, ...(from && { from }), limit: 1 })
    if (first === undefined) return
    const site = siteStart(first[0])
    const next = afterPrefix(site)
    yield { first, from: site, ...(next && { to: next }) }
    if (next === undefined) return
    from = next
  }
}

function siteStart(key: Uint8Array): Uint8Array {
  return key.slice(0, ringKeyBytes)
}

function siteRange(site: SiteKey, { from, to }: SurtRange): KeyRange {
  const ringKey = ringKeyOfSite(site)
  return { from: siteBound(ringKey, from), to: siteBound(ringKey, to) }
}

function ringRange({ from, to }: Extract<Selection, { kind: 'ring' }>): KeyRange {
  const start = ringKeyToBytes(parseRingKey(from))
  return to === undefined ? { from: start } : { from: start, to: ringKeyToBytes(parseRingKey(to)) }
}

function isKeyWithin(key: Uint8Array, { from, to }: KeyRange): boolean {
  return (!from || Buffer.compare(key, from) >= 0) && (!to || Buffer.compare(key, to) < 0)
}
