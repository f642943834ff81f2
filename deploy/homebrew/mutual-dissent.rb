# The formula for a tap. scripts/release_manifests.py fills in the address, the version and the hash.
class MutualDissent < Formula
  desc "Ask a panel of language models and learn how far to trust the answer"
  homepage "$repository"
  url "$repository/releases/download/v$version/mutual_dissent-$version.tar.gz"
  sha256 "$source_sha256"
  license "MIT"

  depends_on "python@3.13"

  # Wheels made with Rust have no room in their headers for the longer names that Homebrew writes.
  preserve_rpath

  def install
    system Formula["python@3.13"].opt_bin/"python3.13", "-m", "venv", libexec
    pip = [libexec/"bin/python", "-m", "pip", "--disable-pip-version-check", "install"]
    system(*pip, "--require-hashes", "-r", "requirements.lock")
    system(*pip, "--no-deps", "--no-build-isolation", buildpath)
    bin.install_symlink libexec/"bin/dissent"
  end

  test do
    ENV["MUTUAL_DISSENT_HOME"] = testpath
    assert_match version.to_s, shell_output("#{bin}/dissent --version")
    assert_match "sample", shell_output("#{bin}/dissent demo")
  end
end
