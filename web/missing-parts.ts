// The parts that an archived page asked for and the archive lacks: counted in the bar, listed, and put into the form that has them
// fetched.
//
// What the page says is a claim. Listing it does no harm, and the owner sees each address before asking for it.

import { briefUrl } from '../src/ui/markup/readable-url.ts'
import { barTexts } from '../src/ui/texts/bar.ts'
import { sharedTexts } from '../src/ui/texts/shared.ts'
import { say } from './reader.ts'

const listedMax = 200

export class MissingParts {
  readonly #isThere: (source: MessageEventSource) => boolean
  readonly #bySource = new Map<MessageEventSource, readonly string[]>()

  /** `isThere`: whether the window that told of them is still in the page. */
  constructor(isThere: (source: MessageEventSource) => boolean) {
    this.#isThere = isThere
  }

  /** All that this window has missed so far. */
  hear(source: MessageEventSource, urls: readonly string[]): void {
    this.#bySource.set(source, urls)
    for (const known of this.#bySource.keys()) if (!this.#isThere(known)) this.#bySource.delete(known)
  }

  show(bar: HTMLElement): void {
    const urls = [...new Set([...this.#bySource.values()].flat())]
    const listed = urls.slice(0, listedMax)
    const place = bar.querySelector<HTMLElement>('#missing')!
    place.hidden = urls.length === 0
    const put = (name: string, text: string) => {
      place.querySelector(`[data-value="${name}"]`)!.textContent = text
    }
    // A window tells of so many and no more.
    const isCut = [...this.#bySource.values()].some(({ length }) => length >= listedMax)
    put('missing-count', say((isCut ? barTexts.missingOrMore : barTexts.missing)({ count: urls.length })))
    put(
      'missing-more',
      urls.length > listed.length ? say(sharedTexts.andMore({ number: urls.length - listed.length })) : '',
    )
    place.querySelector('[data-value="missing-list"]')!.replaceChildren(...listed.map(itemOf))
    const form = place.querySelector('[data-value="missing-form"]')
    for (const field of form?.querySelectorAll('[name=url]') ?? []) field.remove()
    form?.append(...listed.map(fieldOf))
  }
}

function itemOf(url: string): HTMLElement {
  const item = document.createElement('li')
  const address = document.createElement('bdi')
  address.className = 'url'
  address.textContent = briefUrl(url)
  address.title = url
  item.append(address)
  return item
}

function fieldOf(url: string): HTMLElement {
  const field = document.createElement('input')
  field.type = 'hidden'
  field.name = 'url'
  field.value = url
  return field
}
