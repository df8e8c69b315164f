// What the bar does by itself: it stays folded from page to page, and copies the address of the version that is shown.

import { barTexts } from '../src/ui/texts/bar.ts'
import { say } from './reader.ts'

const foldedKey = 'polyhistor-folded'

/** For all bars to come: listens on the document, for the bar is changed for another now and then. */
export function keepFolded(): void {
  document.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLInputElement && target.id === 'fold')
      sessionStorage.setItem(foldedKey, target.checked ? 'yes' : '')
  })
  document.addEventListener('click', ({ target }) => {
    if (target instanceof HTMLButtonElement && target.id === 'copy') void copyLink(target)
  })
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return
    for (const open of document.querySelectorAll('#missing[open], #account[open], #captured[open]'))
      open.removeAttribute('open')
  })
}

export function restoreFold(bar: HTMLElement): void {
  bar.querySelector<HTMLInputElement>('#fold')!.checked = sessionStorage.getItem(foldedKey) === 'yes'
  for (const scripted of bar.querySelectorAll<HTMLElement>('[data-scripted]')) scripted.hidden = false
}

async function copyLink(button: HTMLButtonElement): Promise<void> {
  const link = new URL(button.dataset.link!, location.href).href
  const isCopied = await copied(link)
  button.textContent = say(isCopied ? barTexts.copied : barTexts.copyByHand)
  setTimeout(() => {
    button.textContent = say(barTexts.copy)
  }, 2_000)
}

/** Browsers have no clipboard for pages that come without encryption from another machine. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
