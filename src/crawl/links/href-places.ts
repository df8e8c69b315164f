// Places of hrefs: which number each has among those of a document, in the order in which they were first found.
//
// Why no Map from the start: V8 makes every text that a Map is asked for one of its table of unique texts, which takes a microsecond for
// one that was just put together, and leaves the garbage collector a copy. The first few hundred are found by a hash of our own
// instead; so few that whoever makes hashes collide on purpose gains nothing. Those of larger documents are in a Map.

const smallMax = 256
const slotCount = 1_024
/** Of whoever is being used: one more than the place. All is done at once, so that one will do. */
const slots = new Int16Array(slotCount)

export class HrefPlaces {
  readonly hrefs: string[] = []
  #large: Map<string, number> | undefined

  constructor() {
    slots.fill(0)
  }

  /** Its place, if it has one; otherwise it gets the next, `hrefs.length` as it was before. */
  placeOf(href: string): number {
    return this.#large === undefined ? this.#placeInSlots(href) : this.#placeInMap(this.#large, href)
  }

  #placeInSlots(href: string): number {
    const { hrefs } = this
    let slot = hashOf(href) & (slotCount - 1)
    for (let entry = slots[slot]!; entry !== 0; entry = slots[slot]!) {
      if (hrefs[entry - 1] === href) return entry - 1
      slot = (slot + 1) & (slotCount - 1)
    }
    if (hrefs.length === smallMax) {
      this.#large = new Map(hrefs.map((each, place) => [each, place]))
      return this.#placeInMap(this.#large, href)
    }
    slots[slot] = hrefs.push(href)
    return hrefs.length - 1
  }

  #placeInMap(large: Map<string, number>, href: string): number {
    const known = large.get(href)
    if (known !== undefined) return known
    large.set(href, this.hrefs.length)
    return this.hrefs.push(href) - 1
  }
}

/** FNV-1a, its upper bits mixed into the lower. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash ^ (hash >>> 15)
}
