// Robots file: what a robots.txt says, line by line (RFC 9309, section 2.2).
//
// What forbids is read as it was meant, as google/robotstxt reads it: without its colon, or misspelt in one of the common ways.
// What permits must be spelt right. A line that is neither a user-agent line nor a rule never ends a group. So `Crawl-delay` between two user-agent lines leaves them in one group, as the RFC demands of records that
// it does not define.
//
// Invariants: reading never fails; at most robotsBytesMax octets are read, up to the last whole line; groups stand in
// the order of the file, not yet merged by agent (see robots-rules.ts); line numbers start at 1.

import { agentOfLine } from './product-token.ts'

/** The least that RFC 9309, section 2.5, asks a crawler to read, and all that this one reads. */
export const robotsBytesMax = 500 * 1024

export type RuleKind = 'allow' | 'disallow'

export interface WrittenRule {
  readonly kind: RuleKind
  /** The pattern as a byte string, not empty. */
  readonly octets: string
  readonly line: number
}

export interface RobotsGroup {
  /** Product tokens in lower case, or everyAgent; '' for lines that name nobody. */
  readonly agents: readonly string[]
  /** Of its first user-agent line. */
  readonly line: number
  readonly rules: readonly WrittenRule[]
  /** Not in the RFC, but widely written: the longest that the group asks for. */
  readonly crawlDelayMs: number | undefined
}

export interface RobotsFile {
  readonly groups: readonly RobotsGroup[]
  /** As written: absolute URLs, if the author knew how. */
  readonly sitemaps: readonly string[]
  /** Whether the file went on beyond robotsBytesMax. */
  readonly isCut: boolean
}

/** A group while its lines come in. */
interface OpenGroup {
  agents: string[]
  line: number
  rules: WrittenRule[]
  crawlDelayMs: number | undefined
  /** A user-agent line after this begins the next group. */
  hasRuleLine: boolean
}

export function parseRobots(bytes: Uint8Array): RobotsFile {
  const isCut = bytes.length > robotsBytesMax
  const reader = new RobotsReader()
  for (const line of readableText(bytes, isCut).split(/\r\n|\r|\n/)) reader.readLine(line)
  return { groups: reader.groups, sitemaps: reader.sitemaps, isCut }
}

/** What was written, for people to read. */
export function textOfOctets(octets: string): string {
  return Buffer.from(octets, 'latin1').toString('utf8')
}

class RobotsReader {
  readonly groups: OpenGroup[] = []
  readonly sitemaps: string[] = []
  #line = 0

  readLine(text: string): void {
    this.#line += 1
    const comment = text.indexOf('#')
    const content = comment === -1 ? text : text.slice(0, comment)
    const colon = content.indexOf(':')
    if (colon === -1) this.#readWithoutColon(withoutBlanks(content))
    else {
      const value = withoutBlanks(content.slice(colon + 1))
      this.#readRecord(withoutBlanks(content.slice(0, colon)).toLowerCase(), value)
    }
  }

  /** Two words and nothing else: more of them are prose. */
  #readWithoutColon(content: string): void {
    const words = content.split(/[ \t]+/)
    if (words.length === 2) this.#readRecord(words[0]!.toLowerCase(), words[1]!)
  }

  #readRecord(name: string, value: string): void {
    if (agentNames.test(name)) this.#readAgent(value)
    else if (disallowNames.test(name)) this.#readRule('disallow', value)
    else if (name === 'allow') this.#readRule('allow', value)
    else if (name === 'crawl-delay') this.#readCrawlDelay(value)
    else if (name === 'sitemap' && value !== '') this.sitemaps.push(textOfOctets(value))
  }

  #readAgent(value: string): void {
    let group = this.groups.at(-1)
    if (group === undefined || group.hasRuleLine) {
      group = { agents: [], line: this.#line, rules: [], crawlDelayMs: undefined, hasRuleLine: false }
      this.groups.push(group)
    }
    group.agents.push(agentOfLine(value))
  }

  #readRule(kind: RuleKind, octets: string): void {
    const group = this.groups.at(-1)
    if (group === undefined) return
    group.hasRuleLine = true
    if (octets !== '') group.rules.push({ kind, octets, line: this.#line })
  }

  #readCrawlDelay(value: string): void {
    const group = this.groups.at(-1)
    if (group === undefined || !/^[0-9]*\.?[0-9]+$|^[0-9]+\.$/.test(value)) return
    const delayMs = Math.min(Math.ceil(Number(value) * 1_000), Number.MAX_SAFE_INTEGER)
    group.crawlDelayMs = Math.max(group.crawlDelayMs ?? 0, delayMs)
  }
}

/** How they are written: whatever begins like this is meant so. */
const agentNames = /^user[- ]?agent/
const disallowNames = /^(?:disallow|dissallow|dissalow|disalow|diasllow|disallaw)/

/** Space and tab go, and nothing else: trim() would take the last octet of some letters for a space as well. */
function withoutBlanks(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start += 1
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1
  return text.slice(start, end)
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}

/** As a byte string, without byte order mark and without the line that the limit falls into. */
function readableText(bytes: Uint8Array, isCut: boolean): string {
  const read = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, robotsBytesMax))
  const start = read[0] === 0xef && read[1] === 0xbb && read[2] === 0xbf ? 3 : 0
  const text = read.toString('latin1', start)
  if (!isCut) return text
  return text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1)
}
