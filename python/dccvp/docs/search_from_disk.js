// The site's search for pages that a browser opened from disk, where it allows neither to fetch the index nor to start
// a worker: the index comes as a script, and the worker's script runs in a frame. Loaded before the theme's scripts.
if (location.protocol === "file:") {
  const base = new URL(".", document.currentScript.src);
  document.write(`<script src="${new URL("search/search_index.js", base)}"><\/script>`);

  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.waiting = [];  // messages that came before the frame was ready
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inner = frame.contentWindow;
      this.inner.postMessage = (data) => {
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      };
      const script = frame.contentDocument.createElement("script");
      script.src = new URL(address, document.baseURI);
      script.onload = () => {
        const waiting = this.waiting;
        this.waiting = null;
        for (const data of waiting) this.postMessage(data);
      };
      frame.contentDocument.body.append(script);
    }
    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.inner.dispatchEvent(new MessageEvent("message", { data }));
    }
    terminate() {
      this.inner.frameElement.remove();
    }
  };
}
