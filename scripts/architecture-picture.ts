// The picture of ARCHITECTURE.md: layers and folders, and who imports whom, from the imports and the table "Map".
//
// Arrows are drawn within a layer. What a folder uses of lower layers is written into its box, for as many lines would hide
// everything else. Numbers of files and imports are left out, so that the picture changes only when the structure does.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Arrow, layOut } from './architecture-layout.ts'
import { folderImports, layerOf, layers } from './imports.ts'

const root = join(import.meta.dirname, '..')

const margin = 20
const columns = 5
const boxWidth = 190
const columnGap = 34
const rowGap = 54
const bandGap = 14
const bandPadding = 26
const lineHeight = 15
const width = 2 * margin + 2 * bandPadding + columns * boxWidth + (columns - 1) * columnGap
/** Of a letter, on average. */
const letterWidth = 6.5

interface Box {
  readonly folder: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export function architecturePicture(): string {
  const imports = folderImports()
  const purposes = purposesOfFolders()
  const parts: string[] = []
  let y = margin
  for (const layer of layers.keys().toArray().reverse()) {
    const folders = [...imports.keys()].filter((folder) => layerOf(`src/${folder}`) === layer).sort()
    const arrows = folders.flatMap((from) =>
      folders.filter((to) => imports.get(from)!.has(to)).map((to): Arrow => [from, to]),
    )
    const text = (folder: string, boxWide: number) =>
      boxText(folder, purposes.get(folder) ?? '', usedBelow(folder, imports), boxWide)
    const boxes = boxesOf(folders, arrows, y, text)
    const bottom = Math.max(...boxes.map((box) => box.y + box.height)) + bandPadding
    parts.push(
      `<rect class="band" x="${margin}" y="${y}" width="${width - 2 * margin}" height="${bottom - y}" rx="8"/>`,
      `<text class="layer" x="${margin + 8}" y="${y + 14}">layer ${layer + 1}</text>`,
      ...arrows.map((arrow) => line(arrow, arrows, boxes)),
      ...boxes.map((box) => drawn(box, text(box.folder, box.width))),
    )
    y = bottom + bandGap
  }
  return svg(parts, y - bandGap + margin)
}

/** What the table "Map" says of each folder, up to the first colon or semicolon. */
function purposesOfFolders(): Map<string, string> {
  const table = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').matchAll(
    /^\| `src\/(.+?)\/` \| ([^|:;]+)/gm,
  )
  return new Map([...table].map(([, folder, purpose]) => [folder!, purpose!.trim()]))
}

/** Folders of lower layers that a folder imports; a whole layer by its number where that is shorter. */
function usedBelow(folder: string, imports: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const layer = layerOf(`src/${folder}`)
  return layers
    .slice(0, layer)
    .flatMap((_, lower) => {
      const all = [...imports.keys()].filter((one) => layerOf(`src/${one}`) === lower)
      const used = all.filter((one) => imports.get(folder)!.has(one)).sort()
      const isShort = used.length <= 2
      if (isShort) return [used]
      const missing = all.filter((one) => !used.includes(one))
      const except = missing.length === 0 ? '' : ` except ${missing.join(', ')}`
      return [missing.length <= 3 ? [`all of layer ${lower + 1}${except}`] : used]
    })
    .reverse()
    .flat()
}

interface BoxText {
  readonly prefix: string
  readonly name: string
  readonly purpose: readonly string[]
  readonly uses: readonly string[]
}

function boxText(folder: string, purpose: string, uses: readonly string[], boxWide: number): BoxText {
  const letters = Math.floor((boxWide - 20) / letterWidth)
  const name = folder.slice(folder.indexOf('/') + 1)
  return {
    prefix: folder.slice(0, folder.length - name.length),
    name,
    purpose: wrapped(purpose.split(' '), letters),
    uses: uses.length === 0 ? [] : wrapped(`↓ ${uses.join(', ')}`.split(' '), letters),
  }
}

function wrapped(words: readonly string[], letters: number): string[] {
  const lines = ['']
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`.trim()
    if (longer.length <= letters || lines.at(-1) === '') lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

function heightOf(text: BoxText): number {
  return 24 + lineHeight * (text.purpose.length + text.uses.length + (text.prefix === '' ? 0 : 1)) + 12
}

function boxesOf(
  folders: readonly string[],
  arrows: readonly Arrow[],
  bandY: number,
  text: (folder: string, boxWide: number) => BoxText,
): Box[] {
  const isGrid = folders.length > columns
  const across = isGrid ? columns : folders.length
  const layout = layOut(folders, arrows, across)
  const gaps = (across - 1) * columnGap
  const boxWide = (width - 2 * margin - 2 * bandPadding - gaps) / across
  const rows = Math.max(...folders.map((folder) => layout.get(folder)![1])) + 1
  let y = bandY + bandPadding + 6
  const boxes: Box[] = []
  for (let row = 0; row < rows; row++) {
    const ofRow = folders.filter((folder) => layout.get(folder)![1] === row)
    const height = Math.max(...ofRow.map((folder) => heightOf(text(folder, boxWide))))
    for (const folder of ofRow) {
      const x = margin + bandPadding + layout.get(folder)![0] * (boxWide + columnGap)
      boxes.push({ folder, x, y, width: boxWide, height })
    }
    y += height + rowGap
  }
  return boxes
}

/** From the lower edge of who imports to the upper edge of who is imported, between the boxes of the rows on the way. */
function line(arrow: Arrow, arrows: readonly Arrow[], boxes: readonly Box[]): string {
  const [start, end] = arrow.map((folder) => boxes.find((box) => box.folder === folder)!) as [Box, Box]
  const others = (side: 0 | 1) =>
    arrows
      .filter((one) => one[side] === arrow[side])
      .map((one) => boxes.find((box) => box.folder === one[1 - side])!)
  const startX = place(start, others(0), end)
  const startY = start.y + start.height
  const endX = place(end, others(1), start)
  const lane = (arrows.indexOf(arrow) % 3) * 9 - 9
  let path = `M${round(startX)} ${startY}`
  let [x, y] = [startX, startY]
  const curveTo = (nextX: number, nextY: number) => {
    const bend = (nextY - y) / 2
    path += `C${round(x)} ${round(y + bend)} ${round(nextX)} ${round(nextY - bend)} ${round(nextX)} ${round(nextY)}`
    ;[x, y] = [nextX, nextY]
  }
  for (const rowY of rowsBetween(startY, end.y, boxes)) {
    const row = boxes.filter((box) => box.y === rowY)
    const straightX = startX + ((endX - startX) * (rowY - startY)) / (end.y - startY)
    curveTo(besideBoxes(straightX, row, lane), rowY)
    path += `V${(y = rowY + row[0]!.height)}`
  }
  curveTo(endX, end.y - 6)
  return `<path class="arrow" d="${path}" marker-end="url(#head)"/>`
}

function rowsBetween(top: number, bottom: number, boxes: readonly Box[]): number[] {
  const rows = new Set(boxes.map((box) => box.y).filter((y) => y > top && y < bottom))
  return [...rows].sort((one, other) => one - other)
}

/** The nearest place between the boxes of a row. */
function besideBoxes(x: number, row: readonly Box[], lane: number): number {
  const hit = row.find((box) => x > box.x - 6 && x < box.x + box.width + 6)
  if (hit === undefined) return x
  const isLeft = x < hit.x + hit.width / 2
  return (isLeft ? hit.x - columnGap / 2 : hit.x + hit.width + columnGap / 2) + lane
}

/** Where on a box's edge the line to one of several others begins: in the others' order from left to right. */
function place(box: Box, others: readonly Box[], other: Box): number {
  const sorted = others.toSorted((one, two) => one.x - two.x || one.y - two.y)
  return box.x + (box.width * (sorted.indexOf(other) + 1)) / (sorted.length + 1)
}

function drawn(box: Box, text: BoxText): string {
  let y = box.y + 6
  const row = (kind: string, words: string) =>
    `<text class="${kind}" x="${round(box.x + 10)}" y="${(y += lineHeight)}">${escaped(words)}</text>`
  const kind = text.prefix === '' ? 'box' : 'box part'
  return [
    `<rect class="${kind}" x="${round(box.x)}" y="${box.y}" width="${round(box.width)}" height="${box.height}" rx="6"/>`,
    ...(text.prefix === '' ? [] : [row('prefix', text.prefix)]),
    row('name', text.name),
    ...text.purpose.map((words) => row('purpose', words)),
    ...text.uses.map((words) => row('uses', words)),
  ].join('\n')
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

function svg(parts: readonly string[], height: number): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Layers and folders of src/, and which folder imports which">
<style>
  :root { color-scheme: light dark }
  text { font: 12px system-ui, -apple-system, 'Segoe UI', 'Noto Sans', sans-serif; fill: #24292f }
  .page { fill: #ffffff }
  .band { fill: #f3f4f6 }
  .box { fill: #ffffff; stroke: #8c959f }
  .part { fill: #eef6ff; stroke: #54aeff }
  .layer, .prefix, .uses { font-size: 11px; fill: #57606a }
  .name { font-size: 14px; font-weight: 600 }
  .arrow { fill: none; stroke: #57606a; stroke-width: 1.3 }
  .head { fill: #57606a }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .page { fill: #0d1117 }
    .band { fill: #161b22 }
    .box { fill: #21262d; stroke: #6e7681 }
    .part { fill: #12263f; stroke: #388bfd }
    .layer, .prefix, .uses { fill: #9da7b3 }
    .arrow { stroke: #9da7b3 }
    .head { fill: #9da7b3 }
  }
</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="2" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="head" d="M0 0L8 4L0 8z"/></marker></defs>
<rect class="page" width="${width}" height="${height}"/>
${parts.join('\n')}
</svg>
`
}
