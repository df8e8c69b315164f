// What /api/v1 asks of the archive beyond its index. `app/` gives it.

import type {
  ArchivedCapture,
  ArchiveSelection,
  CaptureRecord,
  ExportRequest,
  RunningExport,
} from '../../../model/archive.ts'
import type { TimeSpan } from '../../../model/timestamp.ts'
import type { Url } from '../../../model/url/url.ts'
import type { TakedownOutcome } from '../../../network/takedowns/network-takedowns.ts'
import type { Takedown } from '../../../store/takedowns/takedown-record.ts'
import type { WorkLine } from '../work-answer.ts'
import type { ExportFile } from './export-parts.ts'

export type TakedownTarget = Extract<ArchiveSelection, { kind: 'url' | 'prefix' | 'site' }>

export type TakedownView = Omit<Takedown, 'stage' | 'ofCaptures'> & { readonly stage: string }

export interface ArchiveService {
  read(capture: ArchivedCapture): Promise<CaptureRecord>
  export(request: ExportRequest & { readonly signal: AbortSignal }): RunningExport
  /** The version of a page that is nearest to a time, with all that it needs; undefined when it is not archived. */
  pageCaptures(
    url: Url,
    span: TimeSpan,
    signal: AbortSignal,
  ): Promise<{ page: ArchivedCapture; captures: readonly ArchivedCapture[] } | undefined>
  /** The same, made whole first. */
  exportFile(request: ExportRequest): Promise<ExportFile>
  takedowns(): Iterable<TakedownView>
  takedown(target: TakedownTarget, reason: string): Promise<TakedownOutcome>
  /** The same, with no way back on this peer. */
  destroy(target: TakedownTarget, reason: string): Promise<TakedownOutcome>
  /** Resolves with the number of captures that are shown again, and whether others hide it still. */
  release(target: TakedownTarget, reason: string): Promise<{ captures: number; isHidden: boolean }>
  stats(): Promise<object>
  /** Where things lie on disk: nobody's business but the owner's. */
  volumes(): Promise<readonly object[]>
  /** Whether and when a URL would be fetched. */
  explain(url: Url): Promise<object>
}

/** A file or folder of this machine, and the permit of a command of the home for it. */
export interface NamedPath {
  readonly path: string
  readonly permit: string | undefined
}

export interface ImportRequest extends NamedPath {
  readonly again: boolean
  readonly signal: AbortSignal
}

export interface UploadRequest {
  readonly chunks: AsyncIterable<Uint8Array>
  readonly signal: AbortSignal
}

export interface ImportService {
  /** The largest archive that may be sent now. */
  uploadBytesMax(): Promise<number>
  /** Rejects when not all of it comes, or there is no room for it; what goes wrong later is a line. */
  upload(request: UploadRequest): Promise<AsyncIterable<WorkLine>>
  /** Rejects when the file may not or cannot be opened; what goes wrong later is a line. */
  import(request: ImportRequest): Promise<AsyncIterable<WorkLine>>
}

export type FolderMode = 'writable' | 'read-only'

/** Read everything, rewrite what has much dead weight, move everything off a volume folder and forget it, or move closed volumes
 * as they are to another of the places that are known. */
export type UpkeepRequest =
  | { readonly task: 'scrub'; readonly bytesPerSecond: number | undefined; readonly restart: boolean }
  | { readonly task: 'compact'; readonly deadShare: number | undefined }
  | { readonly task: 'move-off'; readonly folder: string }
  | {
      readonly task: 'move-volumes'
      readonly to: string
      readonly from: string | undefined
      readonly names: readonly string[] | undefined
    }

export interface PutRequest extends NamedPath {
  readonly mode: 'regular' | 'compare' | 'force-new'
  /** The volume folder to write to. */
  readonly folder: string | undefined
  /** Media type of the content. */
  readonly type: string | undefined
}

/** The store itself: contents by key, the folders that volumes lie in, upkeep. All of it is for the owner only. */
export interface StoreService {
  /** Keeps a file of this machine. Resolves with its content key when that is durable. */
  put(request: PutRequest): Promise<string>
  /** Verified as it flows. */
  content(key: string): AsyncIterable<Uint8Array>
  delete(key: string): Promise<void>
  folders(): Promise<readonly object[]>
  /** `isNew`: it may be one that the store does not know yet. */
  setFolder(named: NamedPath, mode: FolderMode, isNew: boolean): Promise<void>
  upkeep(request: UpkeepRequest, signal: AbortSignal): Promise<AsyncIterable<WorkLine>>
}
