// A disk that is only read: what is written goes to memory, over the files that are there, and is gone with the process.
//
// For looking at an archive whose disk is full or read-only. Whoever opens a store brings its files into line first (a torn end is
// cut off, a journal is written again): here that happens in memory. Nothing is bounded, for whoever only reads writes little.

import { basename, dirname } from 'node:path'
import { type Disk, DiskError, type DiskFile, type FileInfo, type OpenMode } from './disk.ts'

/** What was made of a file. */
interface Draft {
  /** The file below that it began with, and how much of that still shows. */
  readonly below: string | undefined
  belowBytes: number
  sizeBytes: number
  /** The later ones lie over the earlier. */
  readonly written: { readonly position: number; readonly bytes: Uint8Array }[]
}

const removed = Symbol('removed')

export class UnwrittenDisk implements Disk {
  readonly #below: Disk
  readonly #drafts = new Map<string, Draft | typeof removed>()
  readonly #folders = new Set<string>()

  constructor(below: Disk) {
    this.#below = below
  }

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    const info = await this.stat(path)
    if (mode === 'create' && info !== undefined)
      throw new DiskError('disk-already-exists', path, `Cannot make ${path}: it exists already.`)
    if (mode !== 'create' && info === undefined) throw notFound(path)
    const draft = this.#drafts.get(path)
    if (mode === 'read' && draft === undefined) return this.#below.open(path, 'read')
    return this.#openDraft(path, info?.sizeBytes)
  }

  async stat(path: string): Promise<FileInfo | undefined> {
    const draft = this.#drafts.get(path)
    if (draft === removed) return undefined
    if (draft !== undefined) return { kind: 'file', sizeBytes: draft.sizeBytes }
    if (this.#folders.has(path)) return { kind: 'folder', sizeBytes: 0 }
    return this.#below.stat(path)
  }

  async list(folder: string): Promise<string[]> {
    const names = new Set(this.#folders.has(folder) ? [] : await this.#below.list(folder))
    for (const [path, draft] of this.#drafts) {
      if (dirname(path) !== folder) continue
      if (draft === removed) names.delete(basename(path))
      else names.add(basename(path))
    }
    for (const path of this.#folders) if (dirname(path) === folder) names.add(basename(path))
    return [...names].sort()
  }

  async makeFolder(path: string): Promise<void> {
    if ((await this.#below.stat(path)) !== undefined) return
    this.#folders.add(path)
    if (dirname(path) !== path) await this.makeFolder(dirname(path))
  }

  async rename(from: string, to: string): Promise<void> {
    const info = await this.stat(from)
    if (info === undefined) throw notFound(from)
    if (info.kind === 'folder')
      throw new DiskError('disk-read-only', from, `Cannot rename ${from}: this disk is only read.`)
    const draft = this.#draftOf(from, info.sizeBytes)
    this.#drafts.set(to, draft)
    this.#drafts.set(from, removed)
  }

  async remove(path: string): Promise<void> {
    if ((await this.stat(path)) === undefined) throw notFound(path)
    if (!this.#folders.delete(path)) this.#drafts.set(path, removed)
  }

  async syncFolder(): Promise<void> {}

  freeBytes(folder: string): Promise<number> {
    return this.#below.freeBytes(folder)
  }

  #draftOf(path: string, sizeBytes: number | undefined): Draft {
    const draft = this.#drafts.get(path)
    if (draft !== undefined && draft !== removed) return draft
    const isNew = sizeBytes === undefined
    return {
      below: isNew ? undefined : path,
      belowBytes: sizeBytes ?? 0,
      sizeBytes: sizeBytes ?? 0,
      written: [],
    }
  }

  async #openDraft(path: string, sizeBytes: number | undefined): Promise<DiskFile> {
    const draft = this.#draftOf(path, sizeBytes)
    const below = draft.below === undefined ? undefined : await this.#below.open(draft.below, 'read')
    this.#drafts.set(path, draft)
    return new DraftFile(path, draft, below)
  }
}

class DraftFile implements DiskFile {
  readonly path: string
  readonly #draft: Draft
  readonly #below: DiskFile | undefined

  constructor(path: string, draft: Draft, below: DiskFile | undefined) {
    this.path = path
    this.#draft = draft
    this.#below = below
  }

  async sizeBytes(): Promise<number> {
    return this.#draft.sizeBytes
  }

  async read(position: number, length: number): Promise<Uint8Array> {
    const { sizeBytes, belowBytes, written } = this.#draft
    const end = Math.min(sizeBytes, position + length)
    const bytes = Buffer.alloc(Math.max(0, end - position))
    const belowEnd = Math.min(end, belowBytes)
    if (belowEnd > position && this.#below !== undefined)
      bytes.set(await this.#below.read(position, belowEnd - position))
    for (const change of written) {
      const from = Math.max(position, change.position)
      const to = Math.min(end, change.position + change.bytes.length)
      if (from < to)
        bytes.set(change.bytes.subarray(from - change.position, to - change.position), from - position)
    }
    return bytes
  }

  async write(position: number, ...chunks: Uint8Array[]): Promise<void> {
    const bytes = Buffer.concat(chunks)
    this.#draft.written.push({ position, bytes })
    this.#draft.sizeBytes = Math.max(this.#draft.sizeBytes, position + bytes.length)
  }

  async truncate(sizeBytes: number): Promise<void> {
    const draft = this.#draft
    draft.belowBytes = Math.min(draft.belowBytes, sizeBytes)
    // What lay behind the end does not come back when the file grows again.
    const kept = draft.written.flatMap(({ position, bytes }) =>
      position < sizeBytes ? [{ position, bytes: bytes.subarray(0, sizeBytes - position) }] : [],
    )
    draft.written.splice(0, draft.written.length, ...kept)
    draft.sizeBytes = sizeBytes
  }

  async sync(): Promise<void> {}

  async close(): Promise<void> {
    await this.#below?.close()
  }
}

function notFound(path: string): DiskError {
  return new DiskError('disk-not-found', path, `Cannot open ${path}: it does not exist.`)
}
