// What became of the parts of a page when a browser captured it: asked of the archive, and put into the bar beside what replay lacks.
//
// Addresses and reasons are others' words: they are shown as text. No page waits for it, and without it the bar is as before.

import { type Html, html } from '../src/ui/markup/html.ts'
import { briefUrl } from '../src/ui/markup/readable-url.ts'
import { barTexts } from '../src/ui/texts/bar.ts'
import { sharedTexts } from '../src/ui/texts/shared.ts'
import { say } from './reader.ts'

interface Account {
  readonly kept: number
  readonly refused: number
  readonly failed: number
  readonly parts: readonly { readonly name: string; readonly fate: string; readonly reason: string }[]
}

const fates: Readonly<Record<string, Html>> = {
  refused: barTexts.fateRefused,
  failed: barTexts.fateFailed,
}

export async function showAccount(bar: HTMLElement): Promise<void> {
  const { url, atMs } = bar.dataset
  const place = bar.querySelector<HTMLElement>('#account')
  if (place === null) return
  const answer = await fetch(`/account/${atMs}/${url}`).catch(() => undefined)
  if (answer?.status !== 200) return
  const account = (await answer.json()) as Account
  const missed = account.refused + account.failed
  const put = (name: string, text: string) => {
    place.querySelector(`[data-value="${name}"]`)!.textContent = text
  }
  put('account-summary', say(missed === 0 ? barTexts.capturedWhole : barTexts.notCaptured({ count: missed })))
  place.classList.toggle('whole', missed === 0)
  put('account-counts', sentenceOf(account))
  place.querySelector('[data-value="account-list"]')!.replaceChildren(...account.parts.map(itemOf))
  const more = missed - account.parts.length
  put('account-more', more > 0 ? say(sharedTexts.andMore({ number: more })) : '')
  place.hidden = false
}

function sentenceOf({ kept, refused, failed }: Account): string {
  return say(barTexts.account({ count: kept + refused + failed, kept, refused, failed }))
}

function itemOf({ name, fate, reason }: Account['parts'][number]): HTMLElement {
  const item = document.createElement('li')
  const address = document.createElement('bdi')
  address.className = 'url'
  address.textContent = nameOf(name)
  address.title = name
  const why = document.createElement('span')
  why.className = 'note'
  why.textContent = ` ${say(fates[fate] ?? html`${fate}`)}${reason === '' ? '' : `: ${reason}`}`
  item.append(address, why)
  return item
}

/** The method stands before what was not asked for by GET. */
function nameOf(name: string): string {
  const [, method = '', url = name] = /^([A-Z]+ )?(.*)$/s.exec(name) ?? []
  return method + briefUrl(url)
}
