# Serves a Rack application from the folder that the first argument names, on a free port of 127.0.0.1: prints `listening on PORT`, and
# ends when its standard input does. Further arguments are Ruby files that are loaded before it listens, with the application loaded.
require 'bundler/setup'
require 'rack'
require 'socket'
require 'thin'

# Tells which port the system gave to a server that asked for any.
class ReportedPort < Thin::Backends::TcpServer
  def initialize(host, port, _options)
    super(host, port)
  end

  def connect
    super
    port, = Socket.unpack_sockaddr_in(EventMachine.get_sockname(@signature))
    $stdout.puts "listening on #{port}"
    $stdout.flush
  end
end

Thread.new do
  $stdin.read
  exit!(0)
end

Dir.chdir(ARGV.shift)
app, = Rack::Builder.parse_file('config.ru')
ARGV.each { |file| load file }
Thin::Logging.silent = true
Thin::Server.new('127.0.0.1', 0, app, backend: ReportedPort, signals: false).start
