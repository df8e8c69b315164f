// Comparing looks: the slider, and frames as tall as their pages.

import { pageMessageOf } from './page-message.ts'

const tallMin = 600
/** Taller pages are cut: browsers draw the whole of a frame. */
const tallMax = 12_000

const comparison = document.querySelector<HTMLElement>('.comparison')!
const pages = document.querySelector<HTMLElement>('.looks-pages')!
const mix = document.querySelector<HTMLInputElement>('#mix')!
const frames = [...pages.querySelectorAll('iframe')]
const heights = new Map<HTMLIFrameElement, number>()

mix.closest<HTMLElement>('.mix')!.hidden = false
mix.addEventListener('input', () => comparison.style.setProperty('--mix', `${mix.value}%`))

addEventListener('message', ({ source, data }) => {
  const frame = frames.find(({ contentWindow }) => contentWindow === source)
  const height = pageMessageOf(data)?.height
  if (frame === undefined || height === undefined) return
  // A page may grow with its frame without end: a height is only believed once.
  if (!heights.has(frame)) heights.set(frame, height)
  const tall = Math.min(tallMax, Math.max(tallMin, ...heights.values()))
  pages.style.setProperty('--tall', `${tall}px`)
})
