// The links that the exchange benchmark forwards, made from a seed or found on this disk, each once.
//
// `generated web`: what the pages of bench/crawl's web lead to on other hosts. `mixed web`: paths and queries as news
// sites, shops, forums, wikis, video sites and image servers make them, long and full of numbers that nothing can
// compress. `readmes`: the links of the documents of the installed packages: real, if narrow.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tryParseUrl } from '../../src/model/url/url.ts'
import { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { pagePath } from '../crawl/generated-web.ts'

export interface MixedLink {
  readonly href: string
  readonly kind: 'navigation' | 'requisite' | 'redirect'
  readonly jobId: string
  readonly depth: number
  readonly requisiteHops: number
}

/** Links to other hosts on a page: a quarter of 36. */
const outwardPerPage = 9
const requisiteShare = 0.1
const redirectShare = 0.02
const jobs = ['daily-news', 'library-of-the-north', 'a1b2c3d4e5f60718']

/** In the order in which a crawler finds them: page by page, a host's pages near each other. */
export function generatedWeb(count: number, seed = 'generated'): MixedLink[] {
  const hosts = 200
  const pages = Math.ceil((1.5 * count) / hosts)
  const addressOf = (host: number): string => `http://127.0.${1 + (host >> 7)}.${1 + (host & 127)}:8080`
  return gather(count, seed, (random) => {
    return `${addressOf(random.below(hosts))}${pagePath(random.below(pages))}`
  })
}

export function mixedWeb(count: number, seed = 'mixed'): MixedLink[] {
  const names = new SimulatedRandom(`${seed}/names`)
  const sites = Array.from({ length: Math.max(40, Math.floor(count / 25)) }, () => siteOf(names))
  return gather(count, seed, (random) => {
    const site = sites[zipf(random, sites.length)]!
    return `${site.origin}${site.path(random)}`
  })
}

export function readmes(countMax: number): MixedLink[] {
  const folder = join(import.meta.dirname, '..', '..', 'node_modules')
  const found = new Set<string>()
  for (const file of globSync('**/*.md', { cwd: folder }).sort()) {
    for (const [text] of readFileSync(join(folder, file), 'utf8').matchAll(/https?:\/\/[^\s)>\]"'`<]+/g)) {
      const url = tryParseUrl(text)
      if (url !== null && found.size < countMax) found.add(url.href)
    }
  }
  const hrefs = [...found]
  return gather(hrefs.length, 'readmes', (_random, index) => hrefs[index]!)
}

function gather(
  count: number,
  seed: string,
  make: (random: SimulatedRandom, index: number) => string,
): MixedLink[] {
  const random = new SimulatedRandom(seed)
  const known = new Set<string>()
  const links: MixedLink[] = []
  let depth = 0
  for (let index = 0; links.length < count; index++) {
    const href = tryParseUrl(make(random, index))?.href
    if (href === undefined || known.has(href)) continue
    if (links.length % outwardPerPage === 0) depth = 1 + Math.floor(8 * random.fraction() ** 2)
    known.add(href)
    const dice = random.fraction()
    const isRequisite = dice < requisiteShare
    const kind = isRequisite ? 'requisite' : dice < requisiteShare + redirectShare ? 'redirect' : 'navigation'
    const jobId = jobs[zipf(random, jobs.length)]!
    links.push({ href, kind, jobId, depth, requisiteHops: isRequisite ? 1 : 0 })
  }
  return links
}

interface Site {
  readonly origin: string
  path(random: SimulatedRandom): string
}

const syllables =
  'an ar ba ber co da den el en fi ga ha in ka lan li ma mi ne no or pa ra ri sa so ta ti tor ve wa zen'.split(
    ' ',
  )
const words = (() => {
  const random = new SimulatedRandom('words')
  return Array.from({ length: 6_000 }, () =>
    Array.from({ length: 1 + random.below(4) }, () => syllables[random.below(syllables.length)]).join(''),
  )
})()
const suffixes = ['com', 'com', 'com', 'org', 'net', 'de', 'co.uk', 'fr', 'io', 'jp', 'info', 'edu']
const sections = [
  'news',
  'politics',
  'sports',
  'business',
  'opinion',
  'culture',
  'tech',
  'world',
  'local',
  'science',
]

function siteOf(random: SimulatedRandom): Site {
  const name = `${word(random)}${random.chance(0.4) ? word(random) : ''}${random.chance(0.1) ? random.below(100) : ''}`
  const host = `${random.chance(0.6) ? 'www.' : random.chance(0.2) ? `${word(random)}.` : ''}${name}`
  const origin = `http${random.chance(0.9) ? 's' : ''}://${host}.${suffixes[random.below(suffixes.length)]}`
  const makers = [
    newsPath,
    newsPath,
    shopPath,
    forumPath,
    wikiPath,
    videoPath,
    imagePath,
    blogPath,
    profilePath,
  ]
  return { origin, path: makers[random.below(makers.length)]! }
}

function newsPath(random: SimulatedRandom): string {
  const date = `${2015 + random.below(11)}/${two(1 + random.below(12))}/${two(1 + random.below(28))}`
  const campaign = random.chance(0.2)
    ? `?utm_source=newsletter&utm_medium=email&utm_campaign=${word(random)}`
    : ''
  return `/${sections[random.below(sections.length)]}/${date}/${slug(random, 4 + random.below(6))}${campaign}`
}

function blogPath(random: SimulatedRandom): string {
  if (random.chance(0.3)) return `/tag/${word(random)}/page/${1 + random.below(30)}/`
  return `/${2010 + random.below(16)}/${two(1 + random.below(12))}/${slug(random, 3 + random.below(5))}/`
}

function shopPath(random: SimulatedRandom): string {
  const item = `/${word(random)}/${slug(random, 3)}-${slug(random, 2)}/p/${100_000 + random.below(9_900_000)}`
  return random.chance(0.5)
    ? item
    : `${item}?color=${word(random)}&size=${random.below(60)}&ref=sr_1_${random.below(48)}`
}

function forumPath(random: SimulatedRandom): string {
  const topic = `/forum/viewtopic.php?f=${random.below(60)}&t=${random.below(400_000)}`
  return random.chance(0.4) ? `${topic}&start=${20 * random.below(50)}` : topic
}

function wikiPath(random: SimulatedRandom): string {
  const title = Array.from({ length: 1 + random.below(4) }, () => capital(word(random))).join('_')
  return random.chance(0.2)
    ? `/w/index.php?title=${title}&oldid=${random.below(90_000_000)}`
    : `/wiki/${title}`
}

function videoPath(random: SimulatedRandom): string {
  return `/watch?v=${token(random, 11)}${random.chance(0.2) ? `&t=${random.below(3_000)}s` : ''}`
}

function imagePath(random: SimulatedRandom): string {
  const name = Buffer.from(random.bytes(random.chance(0.5) ? 8 : 16)).toString('hex')
  return `/media/${name.slice(0, 2)}/${name}/${slug(random, 2)}-${150 * (1 + random.below(8))}x${100 * (1 + random.below(8))}.jpg`
}

function profilePath(random: SimulatedRandom): string {
  return `/@${word(random)}${word(random)}${random.below(1_000)}/${slug(random, 2 + random.below(6))}-${token(random, 12)}`
}

function slug(random: SimulatedRandom, count: number): string {
  return Array.from({ length: count }, () => word(random)).join('-')
}

function word(random: SimulatedRandom): string {
  return words[zipf(random, words.length)]!
}

/** As frequent as its place is low. */
function zipf(random: SimulatedRandom, size: number): number {
  return Math.floor(size ** random.fraction()) - 1
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

function token(random: SimulatedRandom, length: number): string {
  return Array.from({ length }, () => letters[random.below(letters.length)]).join('')
}

function capital(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1)
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}
