// The archive as its readers ask for it, whoever keeps what: interfaces, pages and replay are all served from one of these.
//
// A peer by itself reads its store; one on a network reads that where it has everything, and other peers where it has not: see
// network-reading.ts.

import type { ArchivedCapture, CaptureIndex, CaptureRecord, ExportRequest } from '../../../model/archive.ts'
import type { Url } from '../../../model/url/url.ts'
import type { Capture } from '../../../store/capture.ts'
import type { Export } from '../../../store/export/exporter.ts'
import type { Store } from '../../../store/store.ts'

export interface ReadableArchive extends CaptureIndex {
  /** A capture that this archive gave. */
  read(capture: Pick<ArchivedCapture, 'cursor'>): Promise<CaptureRecord>
  export(request: ExportRequest & { readonly signal?: AbortSignal }): Export
  /** Another number whenever what is known of this URL may be another; undefined where that is not known. */
  revision(url: Url): number | undefined
}

export function storeArchive(store: Store): ReadableArchive {
  return {
    versions: (url, options) => store.versions(url, options),
    nearest: (url, atMs) => store.nearest(url, atMs),
    scan: (selection, options) => store.scan(selection, options),
    isTakenDown: (url) => store.isTakenDown(url),
    // They are the store's own, handed through.
    read: (capture) => store.read(capture as Capture),
    export: ({ captures, ...request }) =>
      store.export({ ...request, captures: captures as Capture[] | undefined }),
    revision: () => store.revision,
  }
}
