// Says in the search box that its index is loading: on a slow network the box would look as if it found nothing.

/** Watches for the box, which VitePress puts into the page when it is opened. Call it in a browser. */
export function noticeWhileLoading() {
  new MutationObserver(() => {
    const shell = document.querySelector('.VPLocalSearchBox .shell');
    if (!shell || shell.querySelector('.search-notice')) return;
    const notice = document.createElement('p');
    notice.className = 'search-notice';
    notice.setAttribute('role', 'status');
    notice.textContent = 'The index of the search is loading …';
    // At the end, where Vue does not look for its own elements.
    shell.append(notice);
    loadIndex().then(
      () => {
        notice.textContent = '';
      },
      () => {
        notice.textContent = 'The index of the search could not be loaded. Load the page again.';
      },
    );
  }).observe(document.body, { childList: true });
}

/** The same file that the box loads: a browser loads it once. */
async function loadIndex() {
  const { default: indexes } = await import('@localSearchIndex');
  return indexes.root();
}
