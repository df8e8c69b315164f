// What a peer holds that another is filled from.

import { localWorld } from '../../src/platform/real/local-world.ts'
import { pageCapture, sampleOptions } from '../../src/store/fixtures/sample-captures.ts'
import { Store } from '../../src/store/store.ts'
import { chanceFrom, page } from '../store/page.ts'

export interface Holding {
  name: string
  captures: number
  /** The body of each. */
  bodyOf(number: number): Uint8Array
  /** Pages there are; as many as captures when not given. */
  pages?: number
}

/** Pages alone: small, and four times smaller as stored, so that there is much to check for each byte. */
export function pagesOnly(captures: number): Holding {
  return { name: 'pages of 19 kB', captures, bodyOf: (number) => page(number) }
}

/** By number half of them pages, half what is on them: what does not compress, of 10 to 190 kB. */
export function mixed(captures: number): Holding {
  return {
    name: 'pages and images, half and half',
    captures,
    bodyOf: (number) => (number % 2 === 0 ? page(number) : image(number)),
  }
}

/** Each page seen ten times, and nine times it was what it had been: as archives are that look at a site again and again. */
export function revisited(captures: number): Holding {
  const pages = Math.ceil(captures / 10)
  return {
    name: 'pages of 19 kB and nine revisits of each',
    captures,
    pages,
    bodyOf: (number) => page(number % pages),
  }
}

function image(number: number): Uint8Array {
  const chance = chanceFrom(number)
  const bytes = Buffer.allocUnsafe(10_000 + Math.floor(chance() * 180_000))
  for (let at = 0; at + 4 <= bytes.length; at += 4) bytes.writeUInt32LE(Math.floor(chance() * 2 ** 32), at)
  return bytes
}

const sites = 50
const keptAtOnce = 64

export async function fill(folder: string, { captures, bodyOf, pages = captures }: Holding): Promise<void> {
  const store = await Store.open(localWorld(), folder, sampleOptions)
  const keep = async (number: number): Promise<unknown> => {
    const page = number % pages
    const url = `http://site-${page % sites}.test/page/${page}`
    return store.append(pageCapture(url, 1_000 + number, bodyOf(number)))
  }
  for (let at = 0; at < captures; at += keptAtOnce) {
    const some = Array.from({ length: Math.min(keptAtOnce, captures - at) }, (_, index) => keep(at + index))
    await Promise.all(some)
  }
  await store.close()
}
