// Comparing: in line on a narrow screen, unless another view was chosen; for the looks the slider, and frames as tall as their pages.

import { pageMessageOf } from './page-message.ts'

const tallMin = 700
/** Taller pages are cut: browsers draw the whole of a frame. */
const tallMax = 12_000
const changesMax = 12

const comparison = document.querySelector<HTMLElement>('.comparison')!
const pages = document.querySelector<HTMLElement>('.looks-pages')!
const mix = document.querySelector<HTMLInputElement>('#mix')!
const frames = [...pages.querySelectorAll('iframe')]
const heights = new Map<HTMLIFrameElement, { tall: number; changes: number }>()

const side = document.querySelector<HTMLInputElement>('#view-side')
const inline = document.querySelector<HTMLInputElement>('#view-inline')
if (inline !== null && side?.checked && matchMedia('(max-width: 40rem)').matches) inline.checked = true

mix.closest<HTMLElement>('.mix')!.hidden = false
mix.addEventListener('input', () => comparison.style.setProperty('--mix', `${mix.value}%`))

addEventListener('message', ({ source, data }) => {
  const frame = frames.find(({ contentWindow }) => contentWindow === source)
  const height = pageMessageOf(data)?.height
  if (frame === undefined || height === undefined) return
  // A page may always be a little taller than its frame, and would grow with it without end.
  const known = heights.get(frame) ?? { tall: tallMin, changes: 0 }
  if (height <= known.tall || known.changes === changesMax) return
  heights.set(frame, { tall: Math.min(tallMax, height), changes: known.changes + 1 })
  const tall = Math.max(...[...heights.values()].map((page) => page.tall))
  pages.style.setProperty('--tall', `${tall}px`)
})
