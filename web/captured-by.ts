// Who captured the page that is shown, and whether that is proven: asked when somebody wants to know, for it has to be read and
// verified.

import { printTimestamp } from '../src/model/timestamp.ts'
import { barTexts } from '../src/ui/texts/bar.ts'
import { say } from './reader.ts'

interface Told {
  readonly state: 'verified' | 'not-signed' | 'wrong'
  readonly by: string | null
  readonly as: 'captured' | 'imported' | null
  readonly seen?: readonly { readonly by: string; readonly verdict: 'same' | 'alike' | 'other' }[]
}

/** For all bars to come, and lists of versions. */
export function tellWhoCaptured(): void {
  document.addEventListener(
    'toggle',
    ({ target }) => {
      if (target instanceof HTMLDetailsElement && target.matches('.captured') && target.open)
        void tell(target)
    },
    true,
  )
}

async function tell(details: HTMLElement): Promise<void> {
  const place = details.querySelector('[data-value="captured-by"]')!
  const { dataset } = details.closest<HTMLElement>('[data-at-ms]')!
  const at = printTimestamp(Number(dataset.atMs))
  const query = new URLSearchParams({ url: dataset.url!, at })
  place.textContent = say(barTexts.verifying)
  try {
    const response = await fetch(`/api/v1/signature?${query}`)
    place.textContent = response.ok ? sentences((await response.json()) as Told) : say(barTexts.notFoundOut)
  } catch {
    place.textContent = say(barTexts.notFoundOut)
  }
}

function sentences(told: Told): string {
  const { seen = [] } = told
  const named = (isOther: boolean) =>
    seen.filter(({ verdict }) => (verdict === 'other') === isOther).map(({ by }) => by)
  const and = say(barTexts.and)
  const [alike, other] = [named(false), named(true)]
  return [
    sentence(told),
    ...(alike.length > 0 ? [say(barTexts.seenAlike({ peers: alike.join(and) }))] : []),
    ...(other.length > 0 ? [say(barTexts.sawOther({ peers: other.join(and) }))] : []),
  ].join(' ')
}

function sentence({ state, by, as }: Told): string {
  if (state === 'not-signed') return say(barTexts.notSigned)
  const peer = by ?? ''
  const isImported = as === 'imported'
  if (state === 'verified')
    return say((isImported ? barTexts.importedVerified : barTexts.capturedVerified)({ peer }))
  return say((isImported ? barTexts.importedWrong : barTexts.capturedWrong)({ peer }))
}
